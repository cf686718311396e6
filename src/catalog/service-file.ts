// One service of scenario.yaml: a closed part of what a compose file can say. No mounts of the host, no privileges.

import { z } from 'zod'
import { absolutePath } from '../contract/names.ts'
import { grantableCapabilities } from '../engine/topology.ts'
import { environment, id, insidePath, pattern, port, serviceName, size, units, url, word } from '../probes/field-schemas.ts'
import { keys, logs } from './watched-file.ts'

/** Only sysctls that are per namespace, so that they affect no other container. */
const sysctlName = z.string().regex(/^(net\.|kernel\.(shm|msg|sem)|fs\.mqueue\.)[a-z0-9_.]*$/, 'a namespaced kernel setting')

const readyHttp = z.strictObject({
  url: url.describe('The address that is asked, with a service as its host: http://web/health.'),
  status: z.int().min(100).max(599).default(200).describe('The status that means ready.'),
})

const readyTcp = z.strictObject({
  host: serviceName.describe('The service to connect to.'),
  port: port.describe('The port to connect to.'),
})

const ready = z.union([
  z.strictObject({ http: readyHttp.describe('Ready when this request is answered with the status.') }),
  z.strictObject({ tcp: readyTcp.describe('Ready when the port is open, which is often earlier than the service answers.') }),
])

const storage = z.strictObject({
  size: size.describe('How much it holds, such as 16m.'),
  inodes: z.int().min(16).optional().describe('How many files and folders it holds.'),
})

export const service = z.strictObject({
  image: id.describe('The name of a folder below images/.'),
  role: z.string().min(1).describe('What the machine is for, in a few words that users read.'),
  command: z.array(z.string()).min(1).optional().describe("The main command and its arguments; without it, the image's own."),
  env: environment.default({}).describe('Environment variables of the container.'),
  files: z
    .record(absolutePath, insidePath)
    .default({})
    .describe('Files and folders of the scenario (files/app), by the absolute path at which they are copied into the container.'),
  tmpfs: z
    .record(absolutePath, storage)
    .default({})
    .describe('Storage of a fixed size, by its absolute path: a disk that can be full. It keeps its files over a restart.'),
  memory: size.default(128 * units.m).describe('The limit of memory, such as 64m; 128m unless it says otherwise.'),
  cpus: z.number().min(0.05).max(4).default(1).describe('The limit of processors.'),
  pids: z.int().min(16).max(2048).default(128).describe('The limit of processes and threads.'),
  caps: z
    .array(z.enum(grantableCapabilities))
    .default([])
    .describe('Linux capabilities beyond those that every service has. A scenario with any is for callers with an account only.'),
  sysctls: z.record(sysctlName, word).default({}).describe("Kernel settings of the container's own namespaces, by name."),
  init: z.boolean().default(true).describe('Whether a small init reaps processes as PID 1; false makes the main command PID 1.'),
  ports: z.array(port).default([]).describe('The ports that it serves, as the topology shows them to users. Opens nothing.'),
  ready: ready.optional().describe('When the service is ready; the fault waits for it.'),
  view: z.boolean().default(false).describe('Whether it has a docker command that sees this sandbox only. For the workstation.'),
  intact: z
    .array(absolutePath)
    .default([])
    .describe('Files, and folders with all that is in them, that no honest repair touches: content, mode, owner. Step 1 compares.'),
  may_change: z.array(absolutePath).default([]).describe('What a repair may change all the same, of program files and of what is intact.'),
  settings: z
    .record(absolutePath, pattern)
    .default({})
    .describe(
      'Files in which a repair may change, add and remove whole lines that match; all others stay, in their order. They need not be listed under intact.',
    ),
  logs,
  keys,
  must_run: z.array(absolutePath).default([]).describe('Executables that must be running, unaltered, at every grading.'),
})
