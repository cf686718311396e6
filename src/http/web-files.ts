// The files of the built web app, in memory: what is not in the build cannot be asked for, whatever the path.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { filesBelow } from '../files-below.ts'

export interface WebFile {
  readonly type: string
  readonly body: Buffer
  /** Null where compressing it gains nothing. */
  readonly gzipped: Buffer | null
  readonly etag: string
}

export interface WebFiles {
  /** The HTML of every page, for nobody and for somebody who is signed in: so the app knows without asking for an account. */
  readonly page: { readonly signedOut: WebFile; readonly signedIn: WebFile }
  /** What the page loads, by its name below `/assets/`, which has a hash of the content in it. */
  readonly assets: ReadonlyMap<string, WebFile>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const pageFile = 'index.html'
const assetFolder = 'assets'

const htmlStart = '<html lang="en"'

const webFile = async (type: string, body: Buffer): Promise<WebFile> => ({
  type,
  body,
  gzipped: type.startsWith('font/') ? null : await promisify(gzip)(body, { level: 9 }),
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
})

/** Null where there is no build. */
export const loadWebFiles = async (folder: string): Promise<WebFiles | null> => {
  const html = await readFile(join(folder, pageFile), 'utf8').catch(() => null)
  if (html === null) return null
  const assets = new Map<string, WebFile>()
  for (const path of await filesBelow(join(folder, assetFolder))) {
    const type = types[extname(path)]
    if (type !== undefined) assets.set(relative(join(folder, assetFolder), path), await webFile(type, await readFile(path)))
  }
  const pageOf = (text: string) => webFile('text/html; charset=utf-8', Buffer.from(text))
  const signedIn = html.replace(htmlStart, `${htmlStart} data-account="yes"`)
  return { page: { signedOut: await pageOf(html), signedIn: await pageOf(signedIn) }, assets }
}
