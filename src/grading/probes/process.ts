// Probe: which programs run in a service, and as which user.

import { z } from 'zod'
import type { LeafProbe } from '../../catalog/probe-file.ts'
import { differs, holds } from '../observation.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { process: unknown }>['process']

/** A process as the inspector reports it: by its executable, not by the name that it chose. */
export const ProcessEntry = z.object({
  uid: z.int(),
  /** Whether it is root or has capabilities. */
  privileged: z.boolean(),
  executable: z.string(),
  sha256: z.string().nullable(),
  preload: z.boolean(),
  maps: z.array(z.object({ path: z.string(), sha256: z.string().nullable(), ctime: z.number().nullable() })),
})
export type ProcessEntry = z.infer<typeof ProcessEntry>

export const ProcessesAnswer = z.object({ processes: z.array(ProcessEntry) })
export const PreloadAnswer = z.object({ text: z.string() })

type Identity = Pick<ProcessEntry, 'uid' | 'privileged'>

export const runsAs = ({ uid, privileged }: Identity, wanted: number): boolean => uid === wanted && (wanted === 0 || !privileged)
export const whoIs = ({ uid, privileged }: Identity): string => `user ${uid}${privileged && uid !== 0 ? ' with capabilities' : ''}`

export const run: RunProbe<Spec> = async ({ in: service, executable, uid, count }, { observer }) => {
  const { processes } = await observer.inspect(service, { look: 'processes' }, ProcessesAnswer)
  const running = processes.filter((process) => process.executable === executable)
  const saw = `${service} runs ${running.length} ${running.length === 1 ? 'process' : 'processes'} of ${executable}`
  if (running.length < count.min || running.length > (count.max ?? Number.POSITIVE_INFINITY)) return differs(saw)
  const stranger = uid === undefined ? undefined : running.find((process) => !runsAs(process, uid))
  return stranger === undefined ? holds(saw) : differs(`${service} runs ${executable} as ${whoIs(stranger)}`)
}
