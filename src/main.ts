// The composition root: configuration -> store -> engine -> features -> HTTP. The only place that wires them.

import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAccounts } from './accounts/accounts.ts'
import { loadCatalog } from './catalog/catalog.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { defaultCourseId } from './contract/course.ts'
import { connectDocker } from './engine/docker/connection.ts'
import { createDockerEngine } from './engine/docker/docker-engine.ts'
import type { Progress } from './engine/engine.ts'
import { messageOf } from './errors.ts'
import { createGate } from './gate.ts'
import { createEvaluations } from './grading/evaluations.ts'
import { createHealth } from './health.ts'
import { createApp } from './http/app.ts'
import { createId } from './ids.ts'
import { createLog } from './log.ts'
import { createMcp } from './mcp/handler.ts'
import { createAccess } from './sandboxes/access.ts'
import { createReaper } from './sandboxes/reaper.ts'
import { createSandboxes } from './sandboxes/sandboxes.ts'
import { createSessionIds } from './sandboxes/session-id.ts'
import { createTerminals } from './sandboxes/terminals.ts'
import { readSecret } from './secret.ts'
import { openStore } from './store/store.ts'

const root = join(import.meta.dirname, '..')
/** Load windows of gradings at once: more would measure this machine, not the sandboxes. */
const loadWindows = 2

/** The store and the engine of a data directory, without a server. */
export const openInstallation = async (config: Config, clock: Clock = systemClock) => {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const store = await openStore({ databaseUrl: config.databaseUrl, file: join(config.dataDir, 'lab.sqlite'), now: clock.now() })
  const docker = connectDocker(config.dockerHost)
  const engine = createDockerEngine({
    docker,
    clock,
    installation: store.installation,
    imagesFolder: join(root, 'images'),
    subnetPool: config.subnetPool,
    runtime: config.runtime,
  })
  const accounts = createAccounts({ store: store.accounts, clock })
  return { store, engine, docker, accounts, clock }
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** Serves an installation until it is closed. Refuses an engine that does not isolate. */
export const startServer = async (config: Config, progress: Progress) => {
  const log = createLog(config.logLevel)
  const { store, engine, accounts, clock } = await openInstallation(config)
  const bootId = createId()
  try {
    const catalog = await loadCatalog(join(root, 'scenarios'))
    for (const problem of catalog.problems) log.error({ problem }, 'a scenario is left out')
    await engine.prepare(progress)
    await engine.ensureImages(catalog.find(defaultCourseId).images, progress)
    progress('checking that sandboxes are isolated')
    const leaks = (await engine.checkIsolation()).filter((finding) => !finding.passed)
    if (leaks.length > 0) {
      throw new Error(`this engine does not isolate sandboxes: ${leaks.map(({ check, detail }) => `${check} (${detail})`).join('; ')}`)
    }

    const access = createAccess({ store: store.sandboxes, sessionIds: createSessionIds(await readSecret(config.secret, config.dataDir)) })
    const own = { store: store.sandboxes, engine, clock, log, node: config.node, bootId }
    const reaper = createReaper(own)
    const loadGate = createGate(loadWindows)
    const evaluations = createEvaluations({ ...own, store: store.evaluations, sandboxes: store.sandboxes, catalog, loadGate })
    const sandboxes = createSandboxes({ ...own, ...config, catalog, access, evaluations })
    const terminals = createTerminals({ ...own, evaluations })
    const health = createHealth(clock, [engine, store])
    await reaper.reconcile()
    let rootUrl = config.publicUrl ?? ''
    const features = { accounts, catalog, access, sandboxes, terminals, evaluations, health }
    const edge = { log, rootUrl: () => rootUrl }
    const mcp = await createMcp(features, edge)
    const app = await createApp(features, { ...edge, mounts: mcp.mounts })
    await app.listen({ host: config.host, port: config.port })
    const { port } = app.server.address() as AddressInfo
    rootUrl ||= `http://localhost:${port}`
    reaper.start()
    const others = catalog.scenarios.flatMap((scenario) => scenario.images)
    engine
      .ensureImages(others, (message) => log.info(message))
      .catch((error: unknown) => {
        log.error({ reason: messageOf(error) }, 'an image could not be built; it is tried again when a course needs it')
      })
    return {
      port,
      rootUrl,
      /** Finishes the requests under way; sandboxes live on. */
      close: async () => {
        await Promise.all([app.close(), mcp.close()])
        await terminals.close()
        await reaper.stop()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>
