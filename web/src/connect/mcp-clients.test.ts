import { describe, expect, it } from 'vitest'
import { mcpClients } from './mcp-clients.ts'

const url = 'http://localhost:8080/api/v1/mcp'

describe('configurations', () => {
  it('name the address, and no credential where none is wanted', () => {
    for (const { name, text } of mcpClients(url, null)) {
      expect(text, name).toContain(url)
      expect(text, name).not.toContain('Bearer')
    }
  })

  it('carry the token where one is wanted', () => {
    for (const { name, text } of mcpClients(url, 'ilab_pat_x')) expect(text, name).toContain('Bearer ilab_pat_x')
  })

  it('are JSON where they look like it', () => {
    const texts = mcpClients(url, 'x').map(({ text }) => text)
    const objects = texts.filter((text) => text.startsWith('{'))
    expect(objects.length).toBe(5)
    for (const text of objects) expect(() => JSON.parse(text)).not.toThrow()
  })
})
