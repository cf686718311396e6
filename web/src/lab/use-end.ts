// What follows when a lab has ended: the head of the page knows it, and what the browser kept of it goes when the page is left.

import { useEffect, useRef } from 'preact/hooks'
import { useAccount } from '../account.ts'
import { forgetHints } from './hints-seen.ts'

const forget = async (sandboxId: string) => {
  forgetHints(sandboxId)
  const { disposeTerminals } = await import('./terminal/terminal-registry.ts')
  disposeTerminals(sandboxId)
}

export const useEnd = (sandboxId: string, isOver: boolean): void => {
  const { reload } = useAccount()
  const readAgain = useRef(reload)
  readAgain.current = reload
  useEffect(() => {
    if (!isOver) return
    readAgain.current()
    return () => void forget(sandboxId).catch(() => undefined)
  }, [sandboxId, isOver])
}
