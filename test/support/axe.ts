// What axe-core finds on a page, in words.

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export const problemsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  const { violations, passes } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  expect(passes.length).toBeGreaterThan(10)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`))
}
