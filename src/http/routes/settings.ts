// The public settings.

import { z } from 'zod'
import { apiVersions, bodyLimit } from '../../contract/api-version.ts'
import { defaultCourseId } from '../../contract/course.ts'
import { stepNames, stepWeights } from '../../contract/evaluation.ts'
import { pageLimits } from '../../contract/page.ts'
import { execLimits } from '../../contract/sandbox.ts'
import { Settings } from '../../contract/settings.ts'
import type { Features } from '../../features.ts'
import { type Rates, scaleRates } from '../../limits.ts'
import { version } from '../../version.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

const describe = ({ content, limits, rateLimitScale, extraCapabilities }: Features): Settings => {
  const scaled = (rates: Rates) => scaleRates(rates, rateLimitScale)
  return Settings.parse({
    service: 'Incident Lab',
    version,
    api_versions: apiVersions,
    default_course_id: defaultCourseId,
    extra_capabilities: extraCapabilities,
    sign_in: { github: false, google: false, local: false },
    plans: content.plans,
    limits: {
      sandbox_linger_minutes: limits.lingerMinutes,
      sandbox_anonymous_minutes: limits.anonymousMinutes,
      sandbox_extend_minutes: limits.extendMinutes,
      sandbox_longest_minutes: limits.longestMinutes,
      sandbox_grace_minutes: limits.graceMinutes,
      sandbox_disk_bytes: limits.diskBytes,
      sandboxes_per_account: limits.accountSandboxes,
      sandboxes_per_anonymous_address: limits.anonymousSandboxes,
      capacity: limits.capacity,
      queue: limits.queue,
      evaluations_per_session: limits.evaluations,
      evaluation_spacing_seconds: limits.evaluationSpacingSeconds,
      requests_per_minute:
        rateLimitScale === 0 ? null : { anonymous: scaled(limits.rates.anonymous), account: scaled(limits.rates.account) },
      connections_per_network: limits.networkConnections,
      batch_items: limits.batchItems,
      idempotency_retention_hours: limits.idempotencyHours,
      idempotency_answer_bytes: limits.keptAnswerBytes,
      idempotency_account_bytes: limits.keptAccountBytes,
      exec_default_timeout_seconds: execLimits.defaultTimeoutSeconds,
      exec_max_timeout_seconds: execLimits.maxTimeoutSeconds,
      exec_output_bytes: execLimits.outputBytes,
      terminal_linger_seconds: limits.terminalLingerSeconds,
      recording_bytes: limits.recordingBytes,
      recording_retention_days: limits.recordingDays,
      body_bytes: bodyLimit,
      page_default: pageLimits.default,
      page_max: pageLimits.max,
    },
    scoring: { steps: stepNames.map((name) => ({ name, weight: stepWeights[name] })) },
  })
}

export const routes: Routes = (app, features, cache) => {
  const settings = describe(features)
  const read = operation(
    {
      id: 'readSettings',
      tag: 'Service',
      summary: 'Read the public settings',
      description: 'Every limit of this service, and how it scores.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: Settings } },
  )
  app.get('/settings/public', { ...read, ...cache.hooks }, async () => settings)
}
