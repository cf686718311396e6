// The API reference for people: a page that hands the OpenAPI document to Scalar. Everything comes from this host, and whatever Scalar
// would ask its own services for is turned off.

import { basePath } from '../../contract/api-version.ts'
import { bundlePath } from './reference-bundle.ts'

/** Samples are in curl and Python beside those of the document, which are in TypeScript; all others that Scalar knows are hidden. */
const hiddenClients = {
  c: true,
  clojure: true,
  csharp: true,
  dart: true,
  fsharp: true,
  go: true,
  http: true,
  java: true,
  js: true,
  julia: true,
  kotlin: true,
  node: true,
  objc: true,
  ocaml: true,
  php: true,
  powershell: true,
  python: ['python3', 'httpx_async', 'httpx_sync', 'aiohttp'],
  r: true,
  ruby: true,
  rust: true,
  shell: ['wget', 'httpie'],
  swift: true,
}

/** Without the link to the maker, and the frame around a section that an address leads to; tables that break no words. */
const customCss = [
  'a[href^="https://www.scalar.com"] { display: none }',
  'section:focus { outline: none }',
  '.scalar-app .markdown table { display: block }',
  '.scalar-app .markdown table :is(th, td) { word-break: normal; padding: 6px 8px }',
  '.scalar-app .markdown table :is(th, td):last-child { min-width: 9rem }',
].join('\n')

const configuration = {
  url: '/openapi.json',
  /** Relative, so that requests of the page carry the session of its reader. */
  servers: [{ url: basePath, description: 'This host' }],
  hiddenClients,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  documentDownloadType: 'direct',
  metaData: { title: 'Incident Lab API reference' },
  theme: 'default',
  customCss,
}

const attribute = (value: unknown) =>
  JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const referencePage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Incident Lab API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a> say the same without.</noscript>
<script id="api-reference" type="application/json" data-configuration="${attribute(configuration)}"></script>
<script src="${bundlePath}"></script>
</body>
</html>
`

/**
 * The Content-Security-Policy of the page: programs from this host only, requests to our own hosts only. Scalar writes its styles into the
 * page, which needs 'unsafe-inline' for them; its icons and images of answers are data and blobs.
 */
export const referencePolicy = (roots: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'none'",
    `connect-src 'self' ${roots.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
