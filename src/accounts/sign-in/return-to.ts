// Where a browser goes after a sign-in: a path of our own host.

import { defaultReturnPath, isReturnPath } from '../../contract/return-path.ts'
import { LabError } from '../../errors.ts'

/** Throws invalid_request unless it is a path of this host. */
export const checkReturnTo = (path: string | undefined): string => {
  if (path === undefined) return defaultReturnPath
  if (isReturnPath(path)) return path
  throw new LabError('invalid_request', 'return_to: must be a path of this host, such as /docs', {
    details: { fields: [{ field: 'return_to', problem: 'must be a path of this host, such as /docs' }] },
  })
}
