// The composition root: configuration -> store -> engine -> features -> edges. Starts and stops a server.

import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { Config } from './config.ts'
import { defaultCourseId } from './contract/course.ts'
import type { Progress } from './engine/engine.ts'
import { requireIsolation } from './engine/require-isolation.ts'
import { messageOf } from './errors.ts'
import { createFeatures } from './features.ts'
import { createHosts } from './hosts.ts'
import { createApp } from './http/app.ts'
import { loadWebFiles } from './http/web-files.ts'
import { openInstallation } from './installation.ts'
import { createLog } from './log.ts'
import { createMcp } from './mcp/handler.ts'
import { root } from './project-folders.ts'
import { createRequestLog } from './request-log.ts'
import { webBuildFolder } from './web-build.ts'

/** The name under which programs on this machine reach the address that it listens on. */
const localName = (host: string): string => {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Serves an installation until it is closed. Refuses an engine that does not isolate. From `listen` on, an interrupt removes what was begun. */
export const startServer = async (config: Config, progress: Progress, listen?: () => AbortSignal) => {
  const log = createLog(config.logLevel)
  const installation = await openInstallation(config)
  const { store, engine, passedCheck, clock } = installation
  try {
    await engine.prepare(progress)
    let port = config.port
    const localUrl = () => `http://${localName(config.host)}:${port}`
    const { publicUrl, directUrl, allowedOrigins, trustedProxies, metricsToken, securityContact } = config
    const hosts = createHosts({ publicUrl, directUrl, allowedOrigins, localUrl })
    const features = await createFeatures(installation, config, log, { rootUrl: () => hosts.rootUrlFor(undefined), localUrl })
    if (!features.extraCapabilities) {
      log.warn('the container engine does not confine capabilities: courses that need extra ones cannot be started (docs/security.md)')
    }
    const { catalog, starts, reaper, diskWatch, views, localPayments } = features
    for (const problem of catalog.problems) log.error({ problem }, 'a scenario is left out')
    for (const { course_id: scenario, kind } of features.catalogReport.problems)
      if (kind === 'changed' || kind === 'graded_anew') log.warn({ scenario, kind }, 'a scenario is not what was proven')
    await engine.ensureImages(catalog.find(defaultCourseId).images, progress)
    const isolationChecked = await requireIsolation(engine, { passedCheck, progress, interrupted: listen?.(), clock })
    features.status.isolationHeld(isolationChecked)
    await reaper.reconcile()
    await features.batches.sweep()

    const requestLog = createRequestLog(config.logLevel, clock)
    const { rateLimit } = features
    const mcp = await createMcp(features, { log, hosts, rateLimit })
    const webFiles = await loadWebFiles(await webBuildFolder(root))
    if (webFiles === null) log.warn('the web app is not built: its pages say so')
    const app = await createApp(features, {
      ...{ log, requestLog, clock, hosts, rateLimit },
      ...{ trustedProxies, metricsToken, securityContact, mounts: mcp.mounts, webFiles },
    })
    const { address } = await lookup(config.host, { order: 'ipv4first' }) // for a name with two addresses Fastify would open a second listener
    await app.listen({ host: address, port })
    port = (app.server.address() as AddressInfo).port
    reaper.start()
    diskWatch.start()
    views.start()
    localPayments?.start()
    void starts.advance()
    const others = [...catalog.scenarios, ...catalog.drafts].flatMap((scenario) => scenario.images)
    engine
      .ensureImages(others, (message) => log.info(message))
      .catch((error: unknown) => {
        log.error({ reason: messageOf(error) }, 'an image could not be built; it is tried again when a course needs it')
      })
    return {
      port,
      rootUrl: hosts.rootUrlFor(undefined),
      /** How programs on this machine reach it. */
      localUrl: localUrl(),
      /** Finishes requests in progress; sandboxes keep running. */
      close: async () => {
        await Promise.all([app.close(), mcp.close(), localPayments?.stop()])
        await features.terminals.close()
        await features.recorder.close()
        await Promise.all([reaper.stop(), diskWatch.stop(), views.stop(), starts.settle(), features.pool.close()])
        await features.paymentsSweep.settle()
        requestLog.flush()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>
