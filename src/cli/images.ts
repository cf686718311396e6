// Builds every image below images/ that the engine does not have yet.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stopwatch } from '../clock.ts'
import { openInstallation } from '../installation.ts'
import { createDisplay } from './lib/display.ts'
import { ensureEngine } from './lib/engine-setup.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

export const imageNames = async (): Promise<string[]> => {
  const entries = await readdir(join(import.meta.dirname, '../../images'), { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

export const verb: Verb = (program) => {
  withData(program.command('images'))
    .description('build every image that is missing')
    .option('--no-install', 'never install or start a container engine')
    .action(async (options: DataOptions & { install: boolean }) => {
      const config = configOf(options)
      const display = createDisplay()
      const elapsed = stopwatch()
      await ensureEngine(config, options.install, display.report)
      const { store, engine } = await openInstallation(config)
      try {
        const names = await imageNames()
        await engine.ensureImages(names, display.report)
        display.done()
        console.log(`${names.length} images are ready (${Math.round(elapsed() / 1000)} s).`)
      } finally {
        display.done()
        await store.close()
      }
    })
}
