// The browser program of the reference: served from its npm package, under an address that changes with the version, so that browsers
// keep it. It is unpacked once, when somebody first asks for it; only the compressed form stays in memory.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { run } from '../../run-program.ts'
import { acceptsGzip } from '../accepts-gzip.ts'

interface Bundle {
  readonly gzipped: Buffer
  readonly etag: string
}

const packageFile = new URL('../package.json', import.meta.resolve('@scalar/fastify-api-reference'))
export const bundlePath = `/docs/scalar-${JSON.parse(readFileSync(packageFile, 'utf8')).version}.js`

const unpack = async (): Promise<Bundle> => {
  const gzipped = Buffer.from(await run(process.execPath, [join(import.meta.dirname, 'unpack-reference.ts')]), 'base64')
  return { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 27)}"` }
}

export const serveBundle = (app: FastifyInstance): void => {
  let bundle: Promise<Bundle> | undefined
  const load = (): Promise<Bundle> => {
    bundle ??= unpack().catch((error) => {
      bundle = undefined
      throw error
    })
    return bundle
  }
  app.get(bundlePath, { config: { public: true }, schema: { hide: true } as never }, async (request, reply) => {
    const { gzipped, etag } = await load()
    reply.headers({ etag, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.headers({ 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' })
    if (acceptsGzip(request.headers['accept-encoding'])) return reply.header('content-encoding', 'gzip').send(gzipped)
    const plain = createGunzip()
    plain.end(gzipped)
    return reply.send(plain)
  })
}
