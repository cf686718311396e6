// Generates llms.txt: an overview of the service for language models, in Markdown.

import { basePath } from '../../contract/api-version.ts'
import type { OpenApiDocument } from './openapi-types.ts'

interface Listed {
  readonly path: string
  readonly title: string
}

const link = (root: string, { path, title }: Listed) => `- [${title}](${root}${path})`

export const llmsText = (root: string, { info, paths }: OpenApiDocument, documents: readonly Listed[]): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary, operationId }]) =>
        `- [${method.toUpperCase()} ${basePath}${path}](${root}/docs#${operationId}): ${summary.toLowerCase()}`,
    ),
  )
  const [, ...more] = info.description.split('\n\n')
  return `# ${info.title}

> Real, isolated, broken multi-container systems to repair, and a proof of the repair in seven steps from outside.

${more.join('\n\n')}

## Practise as an agent

- [MCP endpoint](${root}${basePath}/mcp): tools start_drill, exec_in_sandbox, grade_drill, stop_drill; no credential is needed
- [MCP discovery](${root}/.well-known/mcp.json): transports and tools

## Documents

${documents.map((document) => link(root, document)).join('\n')}

## REST operations

${operations.join('\n')}
`
}
