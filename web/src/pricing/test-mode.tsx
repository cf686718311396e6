// Says so where payments take no money.

import type { PublicSettings } from '../../../src/contract/public-settings.ts'

export const TestMode = ({ payments }: { readonly payments: PublicSettings['payments'] | undefined }) =>
  payments === 'local' ? <p class="notice notice-broken">Test mode: this installation takes no real payments, no money moves.</p> : null
