// MCP resources: the catalog, with the same public data of courses as over REST.

import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Catalog } from '../catalog/catalog.ts'
import { isLabError } from '../errors.ts'

const mimeType = 'application/json'
const json = (uri: URL, value: unknown) => ({ contents: [{ uri: uri.href, mimeType, text: JSON.stringify(value, null, 2) }] })

export const addResources = (server: McpServer, catalog: Catalog): void => {
  const courses = catalog.scenarios.map(({ course }) => course)

  server.registerResource(
    'courses',
    'lab://courses',
    { title: 'Courses', description: 'Every incident that can be started, with its level and stack.', mimeType },
    (uri) => json(uri, { items: courses }),
  )

  const completions = { id: (start: string) => courses.map(({ id }) => id).filter((id) => id.startsWith(start)) }
  const template = new ResourceTemplate('lab://courses/{id}', {
    list: () => ({
      resources: courses.map(({ id, title, description }) => ({ uri: `lab://courses/${id}`, name: id, title, description, mimeType })),
    }),
    complete: Object.assign(Object.create(null), completions), // the SDK looks up whatever name a client sends
  })
  server.registerResource(
    'course',
    template,
    { title: 'Course', description: 'One course: topology, symptom, goals and the ticket.', mimeType },
    (uri, { id }) => {
      try {
        return json(uri, catalog.find(String(id)).detail)
      } catch (error) {
        throw isLabError(error, 'not_found') ? new ResourceNotFoundError(uri.href) : error
      }
    },
  )
}
