// Grades a sandbox of the operator on the running server, step by step. Exits with 1 when it does not pass.

import { stripVTControlCharacters } from 'node:util'
import { debriefText, stepLine, verdictEnd } from './drill/text.ts'
import { createDisplay } from './lib/display.ts'
import { evaluateStepByStep } from './lib/evaluate.ts'
import { type DataOptions, withData } from './lib/options.ts'
import { findSandbox, withServer } from './lib/server-client.ts'
import type { Verb } from './main.ts'

const plainColumns = 100

export const verb: Verb = (program) => {
  withData(program.command('grade [sandbox]'))
    .description('grade a sandbox: by its id or its course, or the only one; exits with 1 when it does not pass')
    .option('--json', 'print the evaluation as JSON')
    .action(async (wanted: string | undefined, { json, ...options }: DataOptions & { json?: boolean }) =>
      withServer(options, 'grade', async ({ client }) => {
        const sandbox = findSandbox((await client.sandboxes()).items, wanted)
        const columns = process.stdout.columns ?? plainColumns
        const display = createDisplay()
        const say = (text: string) => (process.stderr.isTTY ? display.report(text) : undefined)
        let printed = 0
        const print = (text: string) => {
          display.done()
          console.log(process.stdout.isTTY ? text : stripVTControlCharacters(text))
        }
        say('grading')
        const evaluation = await evaluateStepByStep(client, sandbox, {
          steps: (steps) => {
            if (json === true) return
            if (steps.length < printed) print('Something of the service failed; it begins once more.')
            for (const step of steps.slice(steps.length < printed ? 0 : printed)) print(stepLine(step, columns))
            printed = steps.length
            say(`grading: ${steps.length} of 7 steps are decided`)
          },
          waits: (seconds) => say(`waiting ${seconds} s: it was graded a moment ago`),
        }).finally(() => display.done())
        if (json === true) console.log(JSON.stringify(evaluation, null, 2))
        else {
          const told = printed === evaluation.checkpoints.length ? [] : evaluation.checkpoints.map((step) => stepLine(step, columns))
          print([...told, '', verdictEnd(evaluation, columns)].join('\n'))
          if (evaluation.debrief !== undefined) print(`\n${debriefText(evaluation.debrief, columns)}`)
        }
        process.exitCode = evaluation.passed ? 0 : 1
      }),
    )
}
