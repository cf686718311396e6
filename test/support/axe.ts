// What axe-core finds on a page, in words.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The rules whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

const run = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  await page.evaluate(axe.source)
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }
  const { violations, passes } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults
  expect(passes.length).toBeGreaterThan(rules === undefined ? 10 : 0)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`))
}

const looks = [
  { where: 'in the light', colorScheme: 'light', width: 1280, height: 800 },
  { where: 'in the dark', colorScheme: 'dark', width: 1280, height: 800, rules: colourRules },
  { where: 'on a phone in the dark', colorScheme: 'dark', width: 360, height: 740 },
] as const

/** Of a page as it stands, in the light and in the dark, on a desktop and on a phone; another theme changes nothing but colours. */
export const problemsOf = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  const size = page.viewportSize() ?? { width: looks[0].width, height: looks[0].height }
  for (const { where, colorScheme, width, height, ...only } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    found.push(...(await run(page, 'rules' in only ? only.rules : undefined)).map((problem) => `${where}: ${problem}`))
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  await page.setViewportSize(size)
  return found
}
