// The error of an installation where nothing can be bought.

import { LabError } from '../errors.ts'

export const paymentsOff = () =>
  new LabError('payments_off', 'nothing can be bought here', { hint: 'the operator of this installation has not set up payments' })
