// A browser as far as sign-ins need one: cookies by host, redirects, forms, and the headers that tell where a request comes from.

import { type IncomingHttpHeaders, request } from 'node:http'

export interface BrowserAnswer {
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

export interface BrowserRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Cookie {
  readonly value: string
  readonly path: string
  readonly attributes: string
}

const parseBody = (text: string, headers: IncomingHttpHeaders): unknown =>
  headers['content-type']?.includes('json') === true && text !== '' ? JSON.parse(text) : text

/** A request as it is, without cookies, and without following anything. */
export const ask = (url: URL, { method = 'GET', headers = {}, body }: BrowserRequest): Promise<BrowserAnswer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, { method, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ url, status: response.statusCode ?? 0, headers: response.headers, text, body: parseBody(text, response.headers) })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })

const mostRedirects = 20

/** `root` is where the service is. */
export const openBrowser = (root: string) => {
  /** By host and name; as browsers have it, ports share them. */
  const jar = new Map<string, Map<string, Cookie>>()
  const cookiesOf = (host: string) => jar.get(host) ?? jar.set(host, new Map()).get(host) ?? new Map<string, Cookie>()

  /** Every address that was asked, and every cookie that the service has set. */
  const urls: string[] = []
  const cookieValues = new Set<string>()

  const keep = (url: URL, lines: readonly string[] = []) => {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      const value = pair.slice(pair.indexOf('=') + 1)
      if (value !== '' && url.host === new URL(root).host) cookieValues.add(value)
      const attribute = (wanted: string) => attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
      const expires = attribute('expires')
      const isGone = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())
      if (isGone) cookiesOf(url.hostname).delete(name)
      else cookiesOf(url.hostname).set(name, { value, path: attribute('path') ?? '/', attributes: attributes.join('; ') })
    }
  }

  const headerFor = (url: URL): Record<string, string> => {
    const sent = [...cookiesOf(url.hostname)].filter(([, { path }]) => url.pathname.startsWith(path))
    return sent.length === 0 ? {} : { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') }
  }

  const send = async (url: URL, sent: BrowserRequest): Promise<BrowserAnswer> => {
    urls.push(url.href)
    const answer = await ask(url, {
      ...sent,
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0', ...headerFor(url), ...sent.headers },
    })
    keep(url, answer.headers['set-cookie'])
    return answer
  }

  /** Opens a page, and follows redirects as long as `follows` says so. */
  const visit = async (
    address: string,
    options: {
      readonly form?: Readonly<Record<string, string>>
      readonly follows?: (next: URL) => boolean
      readonly change?: (url: URL) => void
    } = {},
  ): Promise<BrowserAnswer> => {
    let url = new URL(address, root)
    let site = 'none'
    let { form } = options
    for (let hops = 0; hops < mostRedirects; hops += 1) {
      options.change?.(url)
      const answer = await send(url, {
        headers: {
          accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin }),
        },
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form).toString() }),
      })
      const { location } = answer.headers
      if (location === undefined) return answer
      const next = new URL(location, url)
      if (options.follows?.(next) === false) return { ...answer, url: next }
      if (next.hostname !== url.hostname) site = 'cross-site'
      url = next
      form = undefined
    }
    throw new Error(`too many redirects, the last to ${url.pathname}`)
  }

  /** Signs in at a provider, up to the point where `follows` says no, or to the end. */
  const signIn = async (path: string, login: string, options: Parameters<typeof visit>[1] = {}): Promise<BrowserAnswer> => {
    let answer = await visit(path, options)
    for (let forms = 0; forms < 3; forms += 1) {
      const action = /<form[^>]* action="([^"]+)" method="post">/.exec(answer.text)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1]
      if (answer.status !== 200 || action === undefined || prompt === undefined) return answer
      answer = await visit(new URL(action, answer.url).href, { ...options, form: { prompt, login, password: 'any' } })
    }
    return answer
  }

  return {
    visit,
    signIn,
    urls,
    cookieValues,

    /** As a script of our own pages does it. */
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<BrowserAnswer> =>
      send(new URL(path, root), {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(method === 'GET' ? {} : { origin: new URL(root).origin }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),

    /** The cookies of the service. */
    cookies: () => cookiesOf(new URL(root).hostname),
    cookieHeader: () => headerFor(new URL(root)).cookie ?? '',
  }
}

export type Browser = ReturnType<typeof openBrowser>
