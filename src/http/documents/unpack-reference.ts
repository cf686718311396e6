// A program of its own: takes the browser program of the reference out of its npm package, compresses it and prints it in base64. The
// package holds it as a string in a module, and importing that would cost the server forty megabytes for good.

import { constants, gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

const app = Fastify()
await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } })
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the package of the reference answers ${statusCode} for its script`)
process.stdout.write(gzipSync(rawPayload, { level: constants.Z_BEST_COMPRESSION }).toString('base64'))
