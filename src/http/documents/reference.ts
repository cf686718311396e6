// Generates the API reference, one HTML page, from the OpenAPI document. It has no scripts and loads nothing from other hosts.

import type { OpenApiDocument } from './openapi-types.ts'
import { channelChapters } from './reference-channels.ts'
import { type Chapter, chapterSection, guideChapters } from './reference-guide.ts'
import { badge, commonHeaders, type Operation, operationSection, operationsOf } from './reference-operation.ts'
import { namedSchemas, schemaSections } from './reference-schemas.ts'
import { style } from './reference-style.ts'
import { type Html, html, inline, type Part, trusted } from './reference-text.ts'

interface Group {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly operations: readonly Operation[]
}

/** Groups operations by their first tag, in the order of tags; those without a known tag come last. */
const groupsOf = (document: OpenApiDocument): Group[] => {
  const operations = operationsOf(document)
  const known = new Set(document.tags.map(({ name }) => name))
  const rest = operations.filter(({ operation }) => !known.has(operation.tags?.[0] ?? ''))
  const tagged = document.tags.map(({ name, description }, index) => ({
    id: `tag-${index + 1}`,
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.[0] === name),
  }))
  return [...tagged, { id: 'tag-other', name: 'Other', description: '', operations: rest }].filter((group) => group.operations.length > 0)
}

const groupSection = (document: OpenApiDocument, { id, name, description, operations }: Group, common: readonly string[]): Html =>
  html`<section class="group" id="${id}">\n<h2><a href="#${id}">${name}</a></h2>\n<p class="lead">${inline(description)}</p>
${operations.map((operation) => operationSection(document, operation, common))}</section>\n`

const item = (id: string, content: Part): Html => html`<li><a href="#${id}">${content}</a></li>\n`
const chapterItems = (chapters: readonly Chapter[]): Html => html`<ul>${chapters.map(({ id, title }) => item(id, title))}</ul>`

const navigation = (
  title: string,
  guide: readonly Chapter[],
  groups: readonly Group[],
  channels: readonly Chapter[],
  names: readonly string[],
) =>
  html`<nav id="contents" aria-label="Contents">
<p class="title"><a href="#top">${title}</a> <a class="close" href="#bar">Close</a></p>
<h2>Guide</h2>${chapterItems(guide)}
${groups.map(
  ({ id, name, operations }) =>
    html`<h2><a href="#${id}">${name}</a></h2><ul>${operations.map(({ method, operation }) =>
      item(operation.operationId, html`${badge(method)}<span>${operation.summary}</span>`),
    )}</ul>\n`,
)}
<h2>Beyond REST</h2>${chapterItems(channels)}
<h2><a href="#schemas">Schemas</a></h2><ul class="names">${names.map((name) => item(`schema-${name}`, name))}</ul>
</nav>\n`

export const referencePage = (document: OpenApiDocument): string => {
  const { title, version } = document.info
  const guide = guideChapters(document)
  const channels = channelChapters(document)
  const groups = groupsOf(document)
  const common = commonHeaders(document)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body id="top">
<a class="skip" href="#main">Skip to the reference</a>
<header id="bar"><a href="#top">${title} <span>API</span></a><a href="#contents">Contents</a></header>
${navigation(title, guide, groups, channels, namedSchemas(document))}<main id="main" tabindex="-1">
<h1>${title} API reference <small>${version}</small></h1>
${guide.map(chapterSection)}${groups.map((group) => groupSection(document, group, common))}${channels.map(chapterSection)}${schemaSections(document)}</main>
</body>
</html>
`.markup
}
