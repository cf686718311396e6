// A baseline of the start benchmark: what a plain script would send to the Docker API for the same containers, without hardening.

import type Docker from 'dockerode'
import { packFiles } from '../../src/engine/docker/archive.ts'
import type { Topology } from '../../src/engine/topology.ts'

export interface RawSandbox {
  readonly containers: ReadonlyMap<string, Docker.Container>
  readonly remove: () => Promise<void>
}

export interface RawOrder {
  readonly topology: Topology
  readonly fault: readonly ({ readonly in: string; readonly script: string } | object)[]
}

/** The input of wait.py in the probe's image. */
export const readinessOf = ({ services }: Topology): string =>
  JSON.stringify({ timeout_ms: 60_000, probes: services.flatMap((service) => (service.ready === undefined ? [] : [service.ready])) })

export const startRaw = async (docker: Docker, order: RawOrder, referenceOf: (image: string) => Promise<string>): Promise<RawSandbox> => {
  const { topology } = order
  const name = `raw-${Math.random().toString(36).slice(2, 10)}`
  const network = await docker.createNetwork({ Name: name, Internal: true })
  const start = async (service: string, options: Docker.ContainerCreateOptions, archive?: Buffer) => {
    const container = await docker.createContainer({
      ...options,
      Hostname: service,
      HostConfig: { NetworkMode: name, Init: true },
      NetworkingConfig: { EndpointsConfig: { [name]: { Aliases: [service] } } },
    })
    if (archive !== undefined) await container.putArchive(archive, { path: '/' })
    await container.start()
    return [service, container] as const
  }
  const started = await Promise.all([
    start('clients', { Image: await referenceOf('probe') }),
    ...topology.services.map(async (service) =>
      start(
        service.name,
        {
          Image: await referenceOf(service.image),
          ...(service.command === undefined ? {} : { Cmd: [...service.command] }),
          Env: Object.entries(service.environment).map(([key, value]) => `${key}=${value}`),
        },
        service.files.length > 0 ? await packFiles(service.files) : undefined,
      ),
    ),
  ])
  const containers = new Map(started)
  const answer = await execRaw(containers.get('clients') as Docker.Container, [
    'sh',
    '-c',
    'printf %s "$0" | python3 /opt/probe/wait.py',
    readinessOf(topology),
  ])
  for (const step of order.fault) {
    if ('script' in step) await execRaw(containers.get(step.in) as Docker.Container, ['sh', '-c', step.script])
  }
  if (!answer.includes('"ready": true')) throw new Error(`the raw sandbox is not ready: ${answer}`)
  return {
    containers,
    remove: async () => {
      await Promise.all([...containers.values()].map((container) => container.remove({ force: true, v: true })))
      await network.remove()
    },
  }
}

/** One `docker exec`: create, start, read to the end, ask for the exit code. */
export const execRaw = async (container: Docker.Container, argv: string[]): Promise<string> => {
  const exec = await container.exec({ Cmd: argv, AttachStdout: true, AttachStderr: true })
  const stream = await exec.start({ hijack: true })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  await exec.inspect()
  return Buffer.concat(chunks).toString()
}
