// Reports the results of a benchmark: prints them, and writes them below bench/results/ as JSON and Markdown.

import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../../src/cli/lib/table.ts'

const folder = join(import.meta.dirname, '../results')

export interface Figure {
  readonly what: string
  readonly ours: string
  readonly baseline?: string
  readonly ratio?: string
  readonly target?: string
  /** False when the target was missed; left out where there is none. */
  readonly met?: boolean
}

const rowOf = ({ what, ours, baseline = '', ratio = '', target = '', met }: Figure) => [
  what,
  ours,
  baseline,
  ratio,
  target,
  met === undefined ? '' : met ? 'met' : 'MISSED',
]
const head = ['', 'Incident Lab', 'baseline', 'ratio', 'target', '']

/** Where a file of this run goes. */
export const resultFile = async (name: string): Promise<string> => {
  await mkdir(folder, { recursive: true })
  return join(folder, name)
}

/** `raw` are the single measurements. */
export const report = async (name: string, figures: readonly Figure[], raw: unknown): Promise<void> => {
  const rows = figures.map(rowOf)
  printTable([head, ...rows])
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.arch}`
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  const at = new Date().toISOString()
  await writeFile(await resultFile(`${name}.md`), `# ${name}\n\n${at}, ${machine}\n\n${lines.join('\n')}\n`)
  await writeFile(await resultFile(`${name}.json`), `${JSON.stringify({ name, at, machine, figures, raw }, null, 2)}\n`)
  console.log(`kept in bench/results/${name}.md and .json`)
}
