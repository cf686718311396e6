import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { loadWebFiles } from './web-files.ts'
import { serveWebPages } from './web-pages.ts'

describe('without a build', () => {
  it('there are no files', async () => {
    expect(await loadWebFiles('/nonexistent/folder')).toBeNull()
  })

  it('a page says so', async () => {
    const app = Fastify()
    serveWebPages(app, null, { hasCourse: () => true })
    const page = await app.inject({ url: '/glossary', headers: { accept: 'text/html' } })
    expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(page.body).toContain('The web app is not built')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    await app.close()
  })
})
