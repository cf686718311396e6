// Creates the features of one server and connects them. Part of the composition root: it knows all features and no edge.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createBrowserSessionGate } from './accounts/browser-session-gate.ts'
import { createBrowserSessions } from './accounts/browser-sessions.ts'
import { createIdempotentRequests } from './accounts/idempotent-requests.ts'
import { createOwnAccount } from './accounts/own-account.ts'
import { createAttempts } from './accounts/sign-in/attempts.ts'
import { createProviders } from './accounts/sign-in/providers.ts'
import { createSignIn } from './accounts/sign-in/sign-in.ts'
import { createTokenGate } from './accounts/token-gate.ts'
import { loadCatalog } from './catalog/catalog.ts'
import { loadContent } from './catalog/content.ts'
import { createPages } from './catalog/pages.ts'
import { elapsedMs } from './clock.ts'
import { createCommerce } from './commerce/commerce.ts'
import { createHoldings } from './commerce/holdings.ts'
import { createPaymentProvider } from './commerce/providers/providers.ts'
import type { Config } from './config.ts'
import { createCursors } from './cursor.ts'
import { detach } from './detached-work.ts'
import { messageOf } from './errors.ts'
import { createDebriefs } from './grading/debriefs.ts'
import { createEvaluationBudget } from './grading/evaluation-budget.ts'
import { createEvaluations } from './grading/evaluations.ts'
import { createGradingFeed } from './grading/grading-feed.ts'
import { createGradingLock } from './grading/grading-lock.ts'
import { createHints } from './grading/hints.ts'
import { createHealth } from './health.ts'
import { createId } from './ids.ts'
import type { Installation } from './installation.ts'
import type { Log } from './log.ts'
import { catalogFoldersOf, root } from './project-folders.ts'
import { reportOn } from './proofs/catalog-report.ts'
import { createRateLimit } from './rate-limit.ts'
import { createAccess } from './sandboxes/access.ts'
import { createInvitations } from './sandboxes/entry/invitations.ts'
import { createLabEntry } from './sandboxes/entry/lab-entry.ts'
import { createLabPresences } from './sandboxes/entry/lab-presence.ts'
import { createTickets } from './sandboxes/entry/tickets.ts'
import { createVisitors } from './sandboxes/entry/visitors.ts'
import { createSandboxEvents } from './sandboxes/events/events.ts'
import { createOverview } from './sandboxes/overview.ts'
import { createRecorder } from './sandboxes/record/recorder.ts'
import { createRecordings } from './sandboxes/record/recordings.ts'
import { createReports } from './sandboxes/report/reports.ts'
import { createShares } from './sandboxes/report/shares.ts'
import { createRestoredResponses } from './sandboxes/restored-responses.ts'
import { createCommands } from './sandboxes/run/commands.ts'
import { createContainerViews } from './sandboxes/run/container-views.ts'
import { createGuestOutput } from './sandboxes/run/guest-output.ts'
import { createHintOffers } from './sandboxes/run/hint-offers.ts'
import { createSandboxOperations } from './sandboxes/run/operations.ts'
import { createOutputThrottle } from './sandboxes/run/output-throttle.ts'
import { createTerminals } from './sandboxes/run/terminals.ts'
import { createSessionIds } from './sandboxes/session-id.ts'
import { createSessionResponses } from './sandboxes/session-response.ts'
import { createBatches } from './sandboxes/start/batches.ts'
import { createBuilder } from './sandboxes/start/build.ts'
import { createCapacity } from './sandboxes/start/capacity.ts'
import { createStartCharges } from './sandboxes/start/charges.ts'
import { createJobs } from './sandboxes/start/jobs.ts'
import { createPool } from './sandboxes/start/pool.ts'
import { createPrivileges } from './sandboxes/start/privileges.ts'
import { startTraffic } from './sandboxes/start/staging.ts'
import { createStartLatency } from './sandboxes/start/start-latency.ts'
import { createStarts } from './sandboxes/start/starts.ts'
import { createDiskWatch } from './sandboxes/upkeep/disk-watch.ts'
import { createReaper } from './sandboxes/upkeep/reaper.ts'
import { readSecret } from './secret.ts'
import { createSemaphore } from './semaphore.ts'
import { createStatus } from './status.ts'
import type { SandboxRow } from './store/sandboxes.ts'

/** How many load tests run at once: more would measure this machine, not the sandboxes. */
const loadWindows = 2
const buildsPerCore = 2
/** A fifth of the terminal output that a core can transfer, so that keystrokes are handled without delay; guests are sent as much again. */
const outputBytesPerCore = 2 ** 20

/** Where this server is found, once it listens. */
export interface Addresses {
  /** By people. */
  readonly rootUrl: () => string
  /** By programs on this machine. */
  readonly localUrl: () => string
}

export const createFeatures = async (
  { store, engine, accounts, clock }: Installation,
  config: Config,
  log: Log,
  { rootUrl, localUrl }: Addresses,
) => {
  const { limits, node, rateLimitScale, payments, requirePlan: requiresPlan } = config
  const [catalog, content, secret, providers] = await Promise.all([
    loadCatalog(...catalogFoldersOf(config)),
    loadContent(join(root, 'content')),
    readSecret(config.secret, config.dataDir),
    createProviders(config),
  ])
  const cursors = createCursors(secret)
  const { provider, local } = await createPaymentProvider(config, { store: store.localPayments, secret, rootUrl, localUrl, clock, log })
  const commerce = createCommerce({ store, content, provider, clock, log, limits, cursors, sellsCredits: requiresPlan })
  const { entitlements, credits } = commerce
  // The reaper does not wait for it: while the payment provider is slow, sandboxes end in time all the same.
  const paymentsSweep = detach(commerce.sweep, (error) => log.error({ reason: messageOf(error) }, 'payments could not be swept'))
  const hasPlan = async (accountId: string) => (await entitlements.of(accountId)) !== null
  const privilegesOf = createPrivileges({ limits, hasPlan, sellsPlans: provider !== null, requiresPlan })
  const charges = createStartCharges({ store: store.startCharges, clock, log })
  const access = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds: createSessionIds(secret) })
  const tickets = createTickets({ secret, clock, minutes: limits.ticketMinutes })
  const build = createBuilder({ engine, clock, builds: buildsPerCore * availableParallelism() })
  const bootId = createId()
  const gradingLock = createGradingLock()
  const feed = createGradingFeed()
  const budget = createEvaluationBudget({ store: store.evaluations, limits })
  const evaluations = createEvaluations({
    store: store.evaluations,
    sandboxes: store.sandboxes,
    engine,
    catalog,
    clock,
    log,
    cursors,
    limits,
    lock: gradingLock,
    feed,
    budget,
    loadSemaphore: createSemaphore(loadWindows),
  })
  const debriefs = createDebriefs({ evaluations: store.evaluations, sandboxes: store.sandboxes, catalog, clock })
  const hints = createHintOffers({
    hints: createHints({ store: store.sandboxes, engine, catalog, clock }),
    catalog,
    store: store.sandboxes,
  })
  const sessionResponses = createSessionResponses({ access, budget, evaluations, clock, tickets, rootUrl })
  const jobs = createJobs({ store: store.sandboxes, jobs: store.jobs, sessionResponses, clock, capacity: limits.capacity, charges })
  const longestMinutes = Math.max(limits.longestMinutes, provider === null && !requiresPlan ? 0 : limits.proLongestMinutes)
  const poolDeps = { store: store.sandboxes, slots: store.slots, engine, catalog, clock, log, limits, node, bootId, build, longestMinutes }
  const pool = createPool(poolDeps)
  const views = createContainerViews({ store: store.sandboxes, engine, catalog, gradingLock, clock, log, node })
  const latency = createStartLatency(elapsedMs)
  const starts = createStarts({ ...poolDeps, jobStore: store.jobs, jobs, sessionResponses, pool, views, privilegesOf, charges, latency })
  const batches = createBatches({ batchStore: store.batches, starts, clock, log, limits, node, bootId })
  const folder = join(config.dataDir, 'recordings')
  const recorder = createRecorder({ folder, clock, log, limits })
  const recordings = createRecordings({ folder, store: store.sandboxes, access, recorder, clock, limits })
  const reports = createReports({ accounts: store.accounts, catalog, evaluations, debriefs, recordings })
  const shares = createShares({ store: store.shares, sandboxes: store.sandboxes, access, clock })
  const sandboxes = createSandboxOperations({
    store: store.sandboxes,
    engine,
    access,
    gradingLock,
    sessionResponses,
    starts,
    recorder,
    clock,
    log,
    limits,
  })
  const outputBytesPerSecond = availableParallelism() * outputBytesPerCore
  const guestOutput = createGuestOutput({ bytesPerSecond: outputBytesPerSecond })
  const terminals = createTerminals({
    store: store.sandboxes,
    engine,
    gradingLock,
    recorder,
    outputThrottle: createOutputThrottle({ bytesPerSecond: outputBytesPerSecond }),
    clock,
    limits,
  })
  const events = createSandboxEvents({ store: store.sandboxes, engine, evaluations, feed, sessionResponses, terminals, clock, log, limits })
  const commands = createCommands({ store: store.sandboxes, engine, gradingLock, clock })
  const restoredResponses = createRestoredResponses({ store: store.sandboxes, access, jobs, sessionResponses })
  const requests = createIdempotentRequests({ store: store.requests, clock, node, bootId, limits })
  const browserSessions = createBrowserSessions({ store: store.browserSessions, clock, limits })
  const attempts = createAttempts({ secret, clock, minutes: limits.signInMinutes })
  const signIn = createSignIn({ store, sessions: browserSessions, providers, attempts, clock, log })
  const ownAccount = createOwnAccount({
    store: store.accounts,
    engine,
    clock,
    log,
    eraseRecordings: recordings.erase,
    advance: starts.advance,
    holdingsOf: createHoldings({ entitlements, credits, counts: provider !== null || requiresPlan }),
  })
  const rateLimit = rateLimitScale === 0 ? null : createRateLimit({ rates: limits.rates, scale: rateLimitScale, now: elapsedMs })
  const entryDeps = { store: store.labAccess, sandboxes: store.sandboxes, tickets, clock }
  const labEntry = createLabEntry({ ...entryDeps, invitations: store.invitations, rateLimit, limits })
  const invitations = createInvitations({ store: store.invitations, clock, limits })
  const presences = createLabPresences({ labEntry, invitations })
  const visitors = createVisitors({ ...entryDeps, starts, discard: sandboxes.discard })
  const resumeTraffic = ({ id, course_id, seed }: SandboxRow) => startTraffic(engine, id, catalog.find(course_id).instantiate(seed).traffic)
  const reaper = createReaper({
    store: store.sandboxes,
    slots: store.slots,
    engine,
    clock,
    log,
    node,
    bootId,
    isUnderWay: (id) => starts.isUnderWay(id) || pool.isFilling(id),
    resumeTraffic,
    afterwards: [
      ...[starts.advance, pool.purge, requests.purge, batches.purge, recordings.purge, browserSessions.purge, accounts.purge],
      labEntry.purge,
      paymentsSweep.begin,
    ],
  })
  const diskWatch = createDiskWatch({
    store: store.sandboxes,
    engine,
    clock,
    log,
    allowanceBytes: limits.diskBytes,
    advance: starts.advance,
  })
  const tokens = createTokenGate({ accounts, rateLimit })
  const capacity = createCapacity({ store: store.sandboxes, slots: store.slots, clock, limits })
  const health = createHealth(clock, { engine, store, disk_watch: diskWatch })
  const nameOf = async (accountId: string) => (await store.accounts.find(accountId))?.name ?? null
  const overview = createOverview({ store: store.sandboxes, sandboxes, capacity, nameOf })
  const catalogReport = await reportOn(root, catalog, clock.now())
  return {
    ...{ accounts, tokens, rateLimit, requests, restoredResponses, limits, rateLimitScale, clock },
    ...{ browserSessions, signIn, ownAccount, browserSessionGate: createBrowserSessionGate({ sessions: browserSessions, rateLimit }) },
    ...{ catalog, content, pages: createPages(catalog, content, cursors) },
    ...{ commerce, payments, requiresPlan, paymentsSweep, localPayments: local },
    ...{ labEntry, invitations, presences, visitors, reports, shares },
    ...{ access, sandboxes, events, commands, terminals, guestOutput, views, recorder, recordings },
    ...{ jobs, starts, batches, pool, capacity, overview },
    ...{
      evaluations,
      debriefs,
      hints,
      reaper,
      diskWatch,
      health,
      status: createStatus({ health, startTimes: latency.read, clock }),
      catalogReport,
    },
    /** Whether courses whose services have extra Linux capabilities can be started here. */
    extraCapabilities: await engine.confinesCapabilities(),
  }
}

export type Features = Awaited<ReturnType<typeof createFeatures>>
