// The prose of the OpenAPI document: what holds for every operation, and a description for each tag.

import { fill, readTemplate, type Values } from './template.ts'

const guideTemplate = readTemplate('guide.md')

/** Sections of tags.md, each a tag; their order is that of the reference. */
const tagTemplates = readTemplate('tags.md')
  .split(/^# /m)
  .slice(1)
  .map((section) => {
    const [name = '', ...lines] = section.split('\n')
    return { name, text: lines.join('\n').trim() }
  })

export const guideOf = (values: Values) => ({
  description: fill(guideTemplate, values).trim(),
  tags: tagTemplates.map(({ name, text }) => ({ name, description: fill(text, values) })),
})
