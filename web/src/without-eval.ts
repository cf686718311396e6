// Zod makes programs out of text where it may. The policy of the page forbids that, and the browser would report each attempt. Must be
// imported before any schema.

import { config } from 'zod'

config({ jitless: true })
