// A baseline of the start benchmark: the same containers, waits and fault by `docker-compose up`.

import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { Docker } from '../../src/engine/docker/connection.ts'
import { readEngineFeatures } from '../../src/engine/docker/engine-features.ts'
import { aptInstall, succeeds } from '../../src/run-program.ts'
import { runCommand } from './docker-command.ts'
import { type RawOrder, readinessOf } from './raw.ts'

export const ensureCompose = async (): Promise<void> => {
  if (!(await succeeds('docker-compose', ['version']))) await aptInstall(['docker-compose'])
}

export const prepareCompose = async (docker: Docker, order: RawOrder, referenceOf: (image: string) => Promise<string>) => {
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-compose-'))
  await chmod(folder, 0o755)
  const { mappedRoot } = await readEngineFeatures(docker, undefined)
  const placeOf = (service: string, path: string) => join(folder, service, path)
  /** The fault changes what is mounted. */
  const writeFiles = async () => {
    for (const service of order.topology.services) {
      for (const file of service.files) {
        const path = placeOf(service.name, file.path)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, file.content)
        await chmod(path, file.executable ? 0o755 : 0o644)
        if (mappedRoot !== null) for (const owned of [path, dirname(path)]) await chown(owned, mappedRoot.uid, mappedRoot.gid)
      }
    }
  }
  const services: Record<string, unknown> = { clients: { image: await referenceOf('probe'), networks: ['lan'] } }
  for (const service of order.topology.services) {
    const volumes = service.files.map(({ path }) => {
      const alone = service.files.filter((other) => dirname(other.path) === dirname(path)).length === 1
      return alone ? `${placeOf(service.name, path)}:${path}` : `${dirname(placeOf(service.name, path))}:${dirname(path)}`
    })
    services[service.name] = {
      image: await referenceOf(service.image),
      hostname: service.name,
      init: true,
      environment: service.environment,
      networks: ['lan'],
      volumes: [...new Set(volumes)],
      ...(service.command === undefined ? {} : { command: service.command }),
    }
  }
  const text = stringify({ version: '3.7', services, networks: { lan: { internal: true } } }).replaceAll('$', '$$$$')
  await writeFile(join(folder, 'docker-compose.yml'), text)
  const compose = (...args: string[]) =>
    runCommand('docker-compose', ['--project-directory', folder, '-f', join(folder, 'docker-compose.yml'), ...args])

  await writeFiles()
  return {
    up: async (): Promise<void> => {
      await compose('up', '-d')
      const wait = `printf %s '${readinessOf(order.topology)}' | python3 /opt/probe/wait.py`
      const { stdout } = await compose('exec', '-T', 'clients', 'sh', '-c', wait)
      if (!stdout.includes('"ready": true')) throw new Error(`the composed sandbox is not ready: ${stdout}`)
      for (const step of order.fault) if ('script' in step) await compose('exec', '-T', step.in, 'sh', '-c', step.script)
    },
    down: async (): Promise<void> => {
      await compose('down', '-t', '0', '-v')
      await writeFiles()
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
