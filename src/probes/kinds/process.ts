// Probe: which programs run in a service, and as which user.

import { z } from 'zod'
import { absolutePath } from '../../contract/names.ts'
import { serviceName } from '../field-schemas.ts'
import { differs, holds } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service that is looked at.'),
  executable: absolutePath.describe('The file that is executed, as the kernel knows it; never what a process calls itself.'),
  uid: z.int().optional().describe('The number of the user that every one of them must run as.'),
  count: z
    .strictObject({
      min: z.int().default(1).describe('How many must run at least.'),
      max: z.int().optional().describe('How many may run at most.'),
    })
    .prefault({})
    .describe('How many processes run this executable; without it, one at least.'),
})

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

const run: RunProbe<typeof schema> = async ({ in: service, executable, uid, count }, { observer }) => {
  const { processes } = await observer.inspect(service, { inspection: 'processes' }, ProcessesAnswer)
  const running = processes.filter((process) => process.executable === executable)
  const saw = `${service} runs ${running.length} ${running.length === 1 ? 'process' : 'processes'} of ${executable}`
  if (running.length < count.min || running.length > (count.max ?? Number.POSITIVE_INFINITY)) return differs(saw)
  const stranger = uid === undefined ? undefined : running.find((process) => !runsAs(process, uid))
  return stranger === undefined ? holds(saw) : differs(`${service} runs ${executable} as ${whoIs(stranger)}`)
}

export const kind = probeKind({
  looksAt: 'executables that run, and as whom; never what they call themselves',
  from: 'beside the service',
  schema,
  executables: ({ executable }) => [executable],
  run,
})
