// The colours of a terminal, in the light and in the dark. Each of the sixteen can be read on the background.

import type { ITheme } from '@xterm/xterm'

const light: ITheme = {
  background: '#ffffff',
  foreground: '#17202b',
  cursor: '#1b57c9',
  cursorAccent: '#ffffff',
  selectionBackground: '#c9dbfa',
  selectionInactiveBackground: '#dde4ec',
  black: '#17202b',
  red: '#b3261e',
  green: '#1a6b3a',
  yellow: '#7d5100',
  blue: '#1b57c9',
  magenta: '#8a2f8e',
  cyan: '#0a6470',
  white: '#52606f',
  brightBlack: '#596775',
  brightRed: '#c2332a',
  brightGreen: '#1f7541',
  brightYellow: '#855b00',
  brightBlue: '#2a63d6',
  brightMagenta: '#9c3aa1',
  brightCyan: '#0b6f7c',
  brightWhite: '#17202b',
}

const dark: ITheme = {
  background: '#0b1015',
  foreground: '#dde4eb',
  cursor: '#86b3ff',
  cursorAccent: '#0b1015',
  selectionBackground: '#2b4573',
  selectionInactiveBackground: '#26313d',
  black: '#7b8997',
  red: '#ff8f86',
  green: '#7ad39a',
  yellow: '#f2bd55',
  blue: '#86b3ff',
  magenta: '#e09be4',
  cyan: '#6fd3e0',
  white: '#d5dde5',
  brightBlack: '#8b99a7',
  brightRed: '#ffb0a9',
  brightGreen: '#a3e6bb',
  brightYellow: '#ffd684',
  brightBlue: '#aecbff',
  brightMagenta: '#f0bdf2',
  brightCyan: '#9ce6ef',
  brightWhite: '#ffffff',
}

/** As the page is at the moment. */
export const currentPalette = (): ITheme => (getComputedStyle(document.documentElement).colorScheme === 'dark' ? dark : light)

/** Called when the reader or the system changes the theme. */
export const watchPalette = (changed: () => void): (() => void) => {
  const media = matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  media.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    media.removeEventListener('change', changed)
  }
}
