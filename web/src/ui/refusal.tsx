// Why something that was asked for did not happen.

import type { Failure } from '../api.ts'
import { sentence } from '../words.ts'

export const Refusal = ({ error }: { readonly error: Failure | null }) =>
  error === null ? null : (
    <div class="notice notice-failed" role="alert">
      <p>{sentence(error.message)}</p>
      {error.hint === undefined ? null : <p>{sentence(error.hint)}</p>}
    </div>
  )
