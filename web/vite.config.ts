// How the web app is built: static files, named by a hash of their content, that load nothing of another host. `./lab up` runs it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const here = import.meta.dirname

/** Adds what must come before the first paint: the theme that the reader has chosen, and the font. Both by file, since nothing is inline. */
const beforePaint = (): Plugin => ({
  name: 'before-paint',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'asset', name: 'theme.js', source: readFileSync(join(here, 'before-paint.js')) })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const names = Object.keys(bundle)
      const theme = names.find((name) => /\/theme-[^/]+\.js$/.test(name))
      const font = names.find((name) => name.endsWith('.woff2'))
      return [
        { tag: 'script', attrs: { src: `/${theme}` }, injectTo: 'head-prepend' },
        { tag: 'link', attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` }, injectTo: 'head' },
      ]
    },
  },
})

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [beforePaint()],
  build: { target: 'es2022', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: { fs: { allow: [join(here, '..')] }, proxy: { '/api': 'http://localhost:8080' } },
})
