// Texts of the documents, which are Markdown files beside this one, with {{names}} in place of what depends on the installation.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Values = Readonly<Record<string, string | number>>

export const readTemplate = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

/** The text with its values. Throws where there is none for a name. */
export const fill = (template: string, values: Values): string =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`no value for {{${name}}}`)
    return String(values[name])
  })
