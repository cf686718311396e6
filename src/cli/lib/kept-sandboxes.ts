// Sandboxes of failed cases that `prove --keep` leaves running: what to tell of them.

import { join } from 'node:path'
import { containerName } from '../../engine/docker/container-options.ts'
import { LabError } from '../../errors.ts'
import { readProcess } from '../../process-file.ts'

export interface KeptSandbox {
  readonly sandbox: string
  /** The scenario, the case and its seed. */
  readonly what: string
  /** Its services, workstation first. */
  readonly services: readonly string[]
}

/** A server takes sandboxes that it did not start for leftovers. */
export const refuseBesideServer = async (dataDir: string): Promise<void> => {
  if ((await readProcess(join(dataDir, 'server.json'))) === null) return
  throw new LabError('invalid_request', `the server that runs on ${dataDir} would remove the sandboxes of the proof as leftovers`, {
    hint: 'name another directory, for instance --data .lab-proofs, or stop the server with ./lab down',
  })
}

export const describeKept = (kept: readonly KeptSandbox[], dockerHost: string, dataDir: string): string[] => {
  if (kept.length === 0) return []
  const look = ({ sandbox, what, services: [workstation = '', ...others] }: KeptSandbox) => [
    `  ${sandbox}: ${what}`,
    `    docker -H ${dockerHost} exec -it ${containerName(sandbox, workstation)} bash`,
    ...(others.length === 0 ? [] : [`    and in the same way ${others.map((service) => containerName(sandbox, service)).join(', ')}`]),
  ]
  return [
    '',
    'Kept for a look, as grading left them:',
    ...kept.flatMap(look),
    `End them with ./lab down --data ${dataDir}; a server that is started on that directory removes them, too.`,
  ]
}
