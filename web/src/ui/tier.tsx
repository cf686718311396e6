// How hard a course is: one to four dots, and the word.

import { Tier } from '../../../src/contract/course.ts'
import { tierName } from '../words.ts'

const tiers: readonly string[] = Tier.options

export const TierDots = ({ tier }: { readonly tier: string }) => (
  <span class="tier">
    <svg width="34" height="8" viewBox="0 0 34 8" aria-hidden="true" focusable="false">
      {tiers.map((name, index) => (
        <circle key={name} cx={4 + index * 8.5} cy="4" r="2.75" class={index <= tiers.indexOf(tier) ? 'dot dot-filled' : 'dot'} />
      ))}
    </svg>
    {tierName(tier)}
  </span>
)
