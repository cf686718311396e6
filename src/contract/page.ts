// Pagination: the parameters and the response of every list.

import { z } from 'zod'
import { queryNumber } from './query-number.ts'

export const pageLimits = { default: 20, max: 100 } as const

/** The parameters of every list that comes in pages. */
export const pageQuery = {
  limit: queryNumber({ min: 1, max: pageLimits.max })
    .default(pageLimits.default)
    .describe('How many items a page holds.')
    .meta({ examples: [20] }),
  cursor: z.string().min(1).max(512).optional().describe('`next_cursor` of the page before; the filters must be the same.'),
}

/** The parameter of the lists that can be narrowed to a domain. */
export const domainFilter = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('An engineering domain that the list has, such as `web-server`, in any case.')

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('The items of this page.'),
    has_more: z.boolean().describe('Whether another page follows.'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null on the last.'),
    total_count: z.int().describe('How many items match, on all pages.'),
  })
