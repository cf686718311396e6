// The public settings.

import { z } from 'zod'
import { type Rates, scaleRates } from '../../configured-limits.ts'
import { apiVersions } from '../../contract/api-version.ts'
import { defaultCourseId } from '../../contract/course.ts'
import { stepNames, stepWeights } from '../../contract/evaluation.ts'
import { publicLimitsOf } from '../../contract/public-limits.ts'
import { PublicSettings } from '../../contract/public-settings.ts'
import type { Features } from '../../features.ts'
import { version } from '../../version.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

const describe = (features: Features): PublicSettings => {
  const { content, limits, rateLimitScale, extraCapabilities, signIn, payments, requiresPlan } = features
  const scaled = (rates: Rates) => scaleRates(rates, rateLimitScale)
  return PublicSettings.parse({
    service: 'Incident Lab',
    version,
    api_versions: apiVersions,
    default_course_id: defaultCourseId,
    extra_capabilities: extraCapabilities,
    sign_in: signIn.ways,
    payments,
    requires_plan: requiresPlan,
    plans: content.plans,
    limits: {
      ...publicLimitsOf(limits),
      requests_per_minute:
        rateLimitScale === 0 ? null : { anonymous: scaled(limits.rates.anonymous), account: scaled(limits.rates.account) },
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
    { querystring: z.strictObject({}), response: { 200: PublicSettings } },
  )
  app.get('/settings/public', { ...read, ...cache.hooks }, async () => settings)
}
