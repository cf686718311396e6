// Generates llms.txt: a whole drill for language models, with everything that they have to know.

import type { OpenApiDocument } from './openapi-types.ts'
import { fill, readTemplate, type Values } from './template.ts'

interface Listed {
  readonly path: string
  readonly title: string
}

const template = readTemplate('llms.md')

export const llmsText = (values: Values, { paths }: OpenApiDocument, documents: readonly Listed[]): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, servers }]) => {
      const address = servers === undefined ? path : `${values.root_url}${path}`
      return `- ${method.toUpperCase()} ${address}: ${summary.toLowerCase()}`
    }),
  )
  return fill(template, {
    ...values,
    document_list: documents.map(({ path, title }) => `- [${title}](${values.root_url}${path})`).join('\n'),
    operation_list: operations.join('\n'),
  })
}
