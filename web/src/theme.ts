// Light, dark, or as the system has it. What the reader chose is kept in this browser; before-paint.js applies it at the next load.

import { useState } from 'preact/hooks'
import { readSetting, writeSetting } from './browser-settings.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const stored = (): Theme => {
  const value = readSetting('theme')
  return value === 'light' || value === 'dark' ? value : 'system'
}

const apply = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  writeSetting('theme', theme === 'system' ? null : theme)
}

/** The theme, and a way to the next one. */
export const useTheme = (): readonly [Theme, () => void] => {
  const [theme, setTheme] = useState(stored)
  const next = () => {
    const following = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme
    apply(following)
    setTheme(following)
  }
  return [theme, next]
}
