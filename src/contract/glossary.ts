// Terms of the glossary, on the wire and in content/.

import { z } from 'zod'
import { slug } from './names.ts'
import { domainFilter, pageOf, pageQuery } from './page.ts'

export const GlossaryEntry = z
  .object({
    slug: slug.describe('Its name in addresses.').meta({ examples: ['oom-killer'] }),
    term: z.string().describe('The term as people write it.'),
    definition: z.string().describe('What it means.'),
    domain: z.string().describe('The field that it belongs to.'),
    see_also: z.array(z.string()).describe('Slugs of related entries.'),
  })
  .meta({ id: 'GlossaryEntry' })
export type GlossaryEntry = z.infer<typeof GlossaryEntry>

export const GlossaryQuery = z.strictObject({
  ...pageQuery,
  q: z.string().trim().min(1).max(100).optional().describe('Words to find in the term or its definition, in any case.'),
  domain: domainFilter,
})
export type GlossaryQuery = z.infer<typeof GlossaryQuery>

export const GlossaryList = pageOf(GlossaryEntry).meta({ id: 'GlossaryList' })
export type GlossaryList = z.infer<typeof GlossaryList>

/** content/glossary.yaml */
export const GlossaryFile = z.strictObject({
  terms: z
    .array(
      z.strictObject({
        slug: slug.describe('Its name in addresses: lower-case words with hyphens.'),
        term: z.string().min(1).max(80).describe('The term as people write it.'),
        domain: z
          .enum(['linux-kernel', 'containers', 'orchestration', 'web-server', 'database', 'message-broker', 'cloud', 'practice'])
          .describe('The field that it belongs to.'),
        definition: z.string().min(40).max(1000).describe('What it means, in a few sentences that need no other page.'),
        see_also: z.array(slug).max(6).default([]).describe('Slugs of related entries.'),
      }),
    )
    .min(1)
    .describe('The terms, in any order.'),
})
