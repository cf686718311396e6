// The files of an engine of our own: its socket, data, log, and the record of its first process.

import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The name of the OCI runtime that limits a container's use of shared kernel counters; see runtime.sh. */
export const boundingRuntime = 'incident-lab'

export const socketIn = (folder: string): string => join(folder, 'docker.sock')

export const pathsIn = (folder: string) => ({
  socket: socketIn(folder),
  data: join(folder, 'data'),
  exec: join(folder, 'exec'),
  pid: join(folder, 'dockerd.pid'),
  containerdPid: join(folder, 'exec', 'containerd', 'containerd.pid'),
  settings: join(folder, 'daemon.json'),
  resolver: join(folder, 'resolv.conf'),
  log: join(folder, 'dockerd.log'),
  /** The first process of its namespaces. */
  record: join(folder, 'engine.json'),
  starting: join(folder, 'starting.json'),
  uplink: join(folder, 'uplink.lock'),
  passedCheck: join(folder, 'passed-check.json'),
})

/** The control group of all its containers, different for every engine. */
export const cgroupOf = (folder: string): string => `docker-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`
