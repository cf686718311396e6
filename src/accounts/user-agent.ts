// What an owner of browser sessions recognizes them by: a few words of the User-Agent header, bounded.

const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:(?:Headless)?Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]
const systems: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]
const longest = 40

const nameIn = (header: string, names: readonly (readonly [string, RegExp])[]) => names.find(([, pattern]) => pattern.test(header))?.[0]

export const summarizeUserAgent = (header: string | undefined): string => {
  const read = (header ?? '').slice(0, 512)
  const browser = nameIn(read, browsers)
  const system = nameIn(read, systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const product = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)?/.exec(read)?.[0]
  return product?.slice(0, longest) ?? 'unknown'
}
