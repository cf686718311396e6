// Questions that are answered with yes or no, in this terminal.

import { createInterface } from 'node:readline'
import { LabError } from '../../errors.ts'

export interface Question {
  readonly text: string
  /** What an empty answer means. Without it, only a clear yes is one: for what cannot be undone. */
  readonly isYesByDefault?: boolean
}

export const isYes = (reply: string, isYesByDefault: boolean): boolean =>
  isYesByDefault ? !/^n/i.test(reply.trim()) : /^(y|yes)$/i.test(reply.trim())

/** Throws when it is interrupted. The end of the input is an empty answer. */
export const confirm = ({ text, isYesByDefault = false }: Question): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const line = createInterface({ input: process.stdin, output: process.stdout })
    line.once('SIGINT', () => {
      reject(new LabError('invalid_request', 'interrupted'))
      line.close()
    })
    line.once('close', () => resolve(isYes('', isYesByDefault)))
    line.question(`${text} ${isYesByDefault ? '[Y/n]' : '[y/N]'} `, (reply) => {
      resolve(isYes(reply, isYesByDefault))
      line.close()
    })
  })
