// The terminal that a page of a lab shows, for a test: what is on its screen, and typing into it.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const shown = '.terminal-pane:not([hidden])'

/** Its lines, without the spaces that fill them. */
export const screenOf = async (page: Page): Promise<string> => {
  const rows = await page.locator(`${shown} .xterm-rows > div`).allTextContents()
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).join('\n')
}

/** Waits until one of the texts is on the screen. */
export const shows = (page: Page, ...texts: readonly string[]) =>
  expect
    .poll(async () => {
      const screen = await screenOf(page)
      return texts.some((text) => screen.includes(text)) ? 'shown' : screen
    })
    .toBe('shown')

const keys = new Map([
  ['\x1d', 'Control+]'],
  ['\n', 'Enter'],
])

/** Ctrl-] and Enter are typed with their keys. */
export const typeInto = async (page: Page, text: string): Promise<void> => {
  await page.locator(`${shown} .xterm-helper-textarea`).focus()
  for (const character of text) {
    const key = keys.get(character)
    if (key === undefined) await page.keyboard.type(character)
    else await page.keyboard.press(key)
  }
}

/** Runs a command at the prompt, and waits for what it prints. */
export const runCommand = async (page: Page, command: string, printed: string): Promise<void> => {
  await expect.poll(() => screenOf(page)).toMatch(/[#$] ?$/m)
  await typeInto(page, `${command}\n`)
  await shows(page, printed)
}
