// Grades the repair.

import { EvaluationResult, type StepName, stepNames } from '../../contract/evaluation.ts'
import { SandboxRequest } from '../../contract/sandbox.ts'
import type { StepReport } from '../../grading/grade.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Grade a drill',
  description:
    'Proves the repair from outside the sandbox in seven steps and returns a score with what each step observed. ' +
    'The last steps restart machines and put load on, so it can take most of a minute; commands wait meanwhile. ' +
    'Progress tells of each step when it is decided: the first five in any order, because they are observed at once. ' +
    'With a personal access token, an anonymous sandbox is assigned to that account, and so are its results; it then counts ' +
    'towards the sandboxes that the account may have.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rate: 'write',
  steps: stepNames.length,
  input: SandboxRequest,
  output: EvaluationResult,
  run: async ({ access, evaluations, starts }, { session_id }, { caller: who, progress }) => {
    const held = await access.held(who, session_id)
    const row = who.kind === 'account' ? await starts.attribute(held, who) : held
    const told = new Set<StepName>()
    const report: StepReport = (step, outcome) => {
      if (told.has(step)) return // grading is tried once more where the infrastructure failed
      told.add(step)
      progress(`${step}: ${outcome}`)
    }
    return evaluations.evaluate(row, { report })
  },
})
