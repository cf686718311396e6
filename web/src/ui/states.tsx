// Loading, failed and empty, each in words.

import type { ComponentChildren } from 'preact'
import type { Failure } from '../api.ts'
import { clockTime, sentence } from '../words.ts'

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="state" role="status">
    {`Loading ${what} …`}
  </p>
)

export const Failed = ({ error, retry }: { readonly error: Failure; readonly retry: () => void }) => (
  <div class="state" role="alert">
    <p>{sentence(error.message)}</p>
    {error.hint === undefined ? null : <p class="muted">{sentence(error.hint)}</p>}
    <button type="button" class="button" onClick={retry}>
      Try again
    </button>
  </div>
)

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="state">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)

/** What is shown is old, since when, and what happens next. */
export const Stale = ({ since, everySeconds }: { readonly since: Date; readonly everySeconds: number }) => (
  <p class="notice notice-broken" role="status">
    {`The server has not answered since ${clockTime(since)}. What you see is from before; it is asked again every ${everySeconds} seconds.`}
  </p>
)
