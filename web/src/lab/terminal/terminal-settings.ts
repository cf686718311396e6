// The size of the letters in terminals, kept in this browser.

import { readSetting, writeSetting } from '../../browser-settings.ts'

const usual = 14
const smallest = 10
const largest = 24

export const readFontSize = (): number => {
  const size = Number(readSetting('terminal-font-size') ?? usual)
  return Number.isInteger(size) && size >= smallest && size <= largest ? size : usual
}

/** One larger or smaller, within what can be read. */
export const changeFontSize = (by: 1 | -1): number => {
  const size = Math.max(smallest, Math.min(largest, readFontSize() + by))
  writeSetting('terminal-font-size', size === usual ? null : String(size))
  return size
}
