// The signed-in account and its browser sessions, on the wire.

import { z } from 'zod'
import { lookupId, storableText } from './names.ts'

export const providerNames = ['github', 'google'] as const
export type ProviderName = (typeof providerNames)[number]

export const Me = z
  .object({
    id: z.string().describe('The account.'),
    name: z.string().describe('As the provider spelled it when the account was made.'),
    login: z.string().nullable().describe('As the provider that was used last calls you. A text, not an identifier.'),
    email: z.string().nullable().describe('Null unless the provider has verified one.'),
    avatar_url: z.url().nullable().describe('A picture, where the provider has one.'),
    providers: z.array(z.enum([...providerNames, 'local'])).describe('How you can sign in. `local` is the operator of this installation.'),
    role: z.enum(['member', 'operator']).describe('Operators see and end the sandboxes of everybody.'),
    plan: z.string().nullable().describe('`id` of the plan that you have now; null without one.'),
    plan_ends_at: z.iso
      .datetime()
      .nullable()
      .describe('Until when you have it, unless it is renewed. Null without a plan, and for one that does not end.'),
    credits: z.int().nullable().describe('Your balance. Null where nothing can be bought and nothing costs credits.'),
    created_at: z.iso.datetime().describe('When the account was made.'),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

export const AccountDeleted = z
  .object({
    id: z.string().describe('The account.'),
    deleted_at: z.iso.datetime().describe('When it was deleted.'),
    ended_sandboxes: z.int().describe('How many sandboxes ended with it.'),
  })
  .meta({ id: 'AccountDeleted' })
export type AccountDeleted = z.infer<typeof AccountDeleted>

export const BrowserSession = z
  .object({
    browser_session_id: z.string().describe('Names the session; it is not the value of its cookie.'),
    is_current: z.boolean().describe('Whether this request was made in it.'),
    user_agent: z.string().describe('A few words about the browser.'),
    created_at: z.iso.datetime().describe('When it was signed in.'),
    last_used_at: z.iso.datetime().describe('To the minute.'),
    expires_at: z.iso.datetime().describe('It ends earlier when it is not used for `browser_session_idle_days`.'),
  })
  .meta({ id: 'BrowserSession' })
export type BrowserSession = z.infer<typeof BrowserSession>

export const BrowserSessionList = z
  .object({ items: z.array(BrowserSession).describe('All that have not ended.') })
  .meta({ id: 'BrowserSessionList' })

export const EndedBrowserSession = z
  .object({ browser_session_id: z.string().describe('The session.'), ended_at: z.iso.datetime().describe('When it ended.') })
  .meta({ id: 'EndedBrowserSession' })
export type EndedBrowserSession = z.infer<typeof EndedBrowserSession>

export const EndedBrowserSessionList = z
  .object({ items: z.array(EndedBrowserSession).describe('Those that this request ended.') })
  .meta({ id: 'EndedBrowserSessionList' })

export const BrowserSessionEndRequest = z
  .strictObject({
    browser_session_id: lookupId.optional().describe('`browser_session_id` of one of your sessions.'),
    others: z.literal(true).optional().describe('Ends all but the one that this request is made in.'),
  })
  .refine(({ browser_session_id, others }) => (browser_session_id === undefined) !== (others === undefined), {
    message: 'must have either browser_session_id or others',
  })

const returnTo = storableText
  .max(512)
  .optional()
  .describe('A path of this host to go to afterwards, such as `/docs`. Anything else is refused.')

export const SignInQuery = z.strictObject({
  return_to: returnTo,
  link: z.literal('1').optional().describe('Adds the provider to the account that is signed in.'),
})

/** What providers add to the address of a callback; only these are looked at. */
export const SignInCallbackQuery = z.looseObject({ state: z.string().max(512).optional().describe('What the sign-in was begun with.') })

export const LocalSignInRequest = z.strictObject({
  code: z.string().min(1).max(128).describe('From a one-time link: what follows `#` in it.'),
})
