// The errors of an installation where nothing, or not this, can be bought.

import { LabError } from '../errors.ts'

export const paymentsOff = () =>
  new LabError('payments_off', 'nothing can be bought here', { hint: 'the operator of this installation has not set up payments' })

export const creditsOff = () =>
  new LabError('payments_off', 'credits are not sold here: no start of a sandbox costs one', {
    hint: 'start a sandbox; nothing has to be bought',
  })
