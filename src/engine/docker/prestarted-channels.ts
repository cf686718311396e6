// Channels to programs that are started before anybody needs them: starting one costs more than most of what it is asked. A few wait;
// those that were taken are replaced once nobody has taken one for a while, so that a busy machine is not made busier.

import type { ExecChannel } from './exec.ts'

const most = 6
const quietMs = 3_000

export const createPrestartedChannels = (start: () => Promise<ExecChannel>) => {
  const spares: ExecChannel[] = []
  let timer: NodeJS.Timeout | undefined
  let isRefilling = false

  const remove = (spare: ExecChannel) => {
    const index = spares.indexOf(spare)
    if (index >= 0) spares.splice(index, 1)
  }

  const keep = (spare: ExecChannel) => {
    spare.keepAlive(false)
    void spare.finished.then(() => remove(spare))
    spares.push(spare)
  }

  /** One after the other. What cannot be started now is started by whoever needs it. */
  const refill = async (): Promise<void> => {
    if (isRefilling) return
    isRefilling = true
    try {
      while (spares.length < most) keep(await start())
    } catch {
      // the next one that is taken begins anew
    } finally {
      isRefilling = false
    }
  }

  const refillLater = () => {
    clearTimeout(timer)
    timer = setTimeout(refill, quietMs)
    timer.unref()
  }

  return {
    /** One that waits in this container; undefined when there is none. Those of another one have ended with it, whether that was told or not. */
    take: (containerId: string): ExecChannel | undefined => {
      refillLater()
      while (spares.length > 0 && spares[0]?.containerId !== containerId) void spares.shift()?.close()
      const spare = spares.shift()
      spare?.keepAlive(true)
      return spare
    },

    /** Gives up all that wait: what ended one of them may have ended the others too. */
    clear: (): void => {
      for (const spare of spares.splice(0)) void spare.close()
    },
  }
}
