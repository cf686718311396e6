import type { LeafProbe } from '../../catalog/probe-file.ts'
import { differs, holds, type Look } from '../observation.ts'

type Spec = Extract<LeafProbe, { process: unknown }>['process']

/** A process as the inspector reports it: what it executes, never what it calls itself. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly uid: number
  /** Root, or with capabilities beside a user's own rights. */
  readonly privileged: boolean
  readonly executable: string
  readonly sha256: string | null
  readonly preload: boolean
  readonly maps: readonly { readonly path: string; readonly sha256: string | null; readonly ctime: number | null }[]
}

type Identity = Pick<ProcessEntry, 'uid' | 'privileged'>

export const runsAs = ({ uid, privileged }: Identity, wanted: number): boolean => uid === wanted && (wanted === 0 || !privileged)
export const whoIs = ({ uid, privileged }: Identity): string => `user ${uid}${privileged && uid !== 0 ? ' with capabilities' : ''}`

export const look: Look<Spec> = async ({ in: service, executable, uid, count }, { observer }) => {
  const { processes } = await observer.look<{ processes: ProcessEntry[] }>(service, { look: 'processes' })
  const running = processes.filter((process) => process.executable === executable)
  const saw = `${service} runs ${running.length} of ${executable}`
  if (running.length < count.min || running.length > (count.max ?? Number.POSITIVE_INFINITY)) return differs(saw)
  const stranger = uid === undefined ? undefined : running.find((process) => !runsAs(process, uid))
  return stranger === undefined ? holds(saw) : differs(`${service} runs ${executable} as ${whoIs(stranger)}`)
}
