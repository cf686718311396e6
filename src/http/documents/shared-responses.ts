// Moves refusals that several operations share to `components.responses`: most of the document would be their copies.

import type { OpenApiDocument, OperationObject, Response } from './openapi-types.ts'
import { mapOperations } from './openapi-types.ts'

/** Its error codes, which are the names of its examples. */
const nameOf = (response: Response): string | undefined => {
  const [media] = Object.values(response.content ?? {})
  return media?.examples === undefined ? undefined : Object.keys(media.examples).join('.')
}

export const shareResponses = (document: OpenApiDocument): OpenApiDocument => {
  const found = new Map<string, { readonly response: Response; readonly text: string; uses: number }>()
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  for (const response of operations.flatMap(({ responses }) => Object.values(responses))) {
    const name = nameOf(response)
    if (name === undefined) continue
    const text = JSON.stringify(response)
    const known = found.get(name) ?? { response, text, uses: 0 }
    if (known.text === text) known.uses += 1
    found.set(name, known)
  }
  const shared = new Map([...found].filter(([, { uses }]) => uses > 1))
  const referring = (operation: OperationObject): OperationObject => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const name = nameOf(response) ?? ''
        const isShared = shared.get(name)?.text === JSON.stringify(response)
        return [status, isShared ? ({ $ref: `#/components/responses/${name}` } as unknown as Response) : response]
      }),
    ),
  })
  return {
    ...document,
    paths: mapOperations(document.paths, referring),
    components: {
      ...document.components,
      responses: Object.fromEntries([...shared].map(([name, { response }]) => [name, response])),
    },
  }
}
