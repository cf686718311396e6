// Compares what was paid with what was given: checkouts, entitlements and ledger of the store, and the payment provider. Changes nothing.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadContent } from '../catalog/content.ts'
import { createCommerce } from '../commerce/commerce.ts'
import { createPaymentProvider } from '../commerce/providers/providers.ts'
import { createCursors } from '../cursor.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { createLog } from '../log.ts'
import { root } from '../project-folders.ts'
import { readSecret } from '../secret.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import { printTable } from './lib/table.ts'
import type { Verb } from './main.ts'

const checkOf = async (options: DataOptions) => {
  const config = configOf(options)
  if (!existsSync(config.dataDir)) {
    throw new LabError('invalid_request', `there is no installation in ${config.dataDir}`, { hint: 'name its data directory with --data' })
  }
  const { store, clock } = await openInstallation(config)
  try {
    const log = createLog(config.logLevel)
    const [content, secret] = await Promise.all([loadContent(join(root, 'content')), readSecret(config.secret, config.dataDir)])
    const url = () => config.publicUrl ?? `http://localhost:${config.port}`
    const parts = { store: store.localPayments, secret, rootUrl: url, localUrl: url, clock, log }
    const { provider } = await createPaymentProvider(config, parts)
    const cursors = createCursors(secret)
    const commerce = createCommerce({
      store,
      content,
      provider,
      clock,
      log,
      limits: config.limits,
      cursors,
      sellsCredits: config.requirePlan,
    })
    return { differences: await commerce.check(), provider: provider?.name ?? null }
  } finally {
    await store.close()
  }
}

export const verb: Verb = (program) => {
  const payments = program.command('payments').description('compare payments with what was given for them')
  withData(payments.command('check'))
    .description('tell what checkouts, entitlements, credits and the payment provider do not agree on; exit code 1 if anything')
    .action(async (options: DataOptions) => {
      const { differences, provider } = await checkOf(options)
      const asked = provider === null ? 'no payment provider was asked' : `payment provider: ${provider}`
      if (differences.length === 0) return console.log(`Nothing differs (${asked}).`)
      const rows = differences.map(({ kind, checkoutId, reference, text }) => [kind, checkoutId ?? '-', reference ?? '-', text])
      printTable([['difference', 'checkout', 'reference', 'what'], ...rows])
      process.exitCode = 1
    })
}
