// The events of a sandbox on the wire: the name of each, and its data.

import { z } from 'zod'
import { EvaluationRecord, stepNames } from './evaluation.ts'
import { SandboxSession, TerminationReason } from './sandbox.ts'

export const SandboxState = SandboxSession.omit({ session_id: true, terminal_url: true }).meta({ id: 'SandboxState' })
export type SandboxState = z.infer<typeof SandboxState>

export const ContainerState = z
  .object({
    name: z.string().describe('One of `containers`.'),
    status: z.enum(['running', 'stopped']).describe('`stopped`: its main command has ended.'),
    exit_code: z.int().nullable().describe('Of its main command; null while it runs.'),
    out_of_memory: z.boolean().describe('Whether its main command was killed because the memory was used up.'),
    started_at: z.iso.datetime().nullable().describe('When its main command was started; null while it does not run.'),
  })
  .meta({ id: 'ContainerState' })
export type ContainerState = z.infer<typeof ContainerState>

export const GradingStep = z
  .object({
    name: z.enum(stepNames).describe('One of the seven steps.'),
    outcome: z.enum(['passed', 'failed', 'not_attempted']).describe('`not_attempted`: a step before it has failed.'),
    output: z.string().describe('What was observed, as the evaluation says it.'),
  })
  .meta({ id: 'GradingStep' })
export type GradingStep = z.infer<typeof GradingStep>

export const Grading = z
  .object({
    started_at: z.iso.datetime().describe('When the evaluation began.'),
    attempt: z.int().describe('2 when it began once more, because the infrastructure failed; its steps are decided anew.'),
    steps: z.array(GradingStep).describe('Those that are decided, in the order of the decisions.'),
  })
  .meta({ id: 'Grading' })
export type Grading = z.infer<typeof Grading>

export const OpenTerminals = z
  .array(
    z.object({
      terminal_id: z.string().describe('By which a guest follows it.'),
      container: z.string().describe('Where its shell runs.'),
      has_keys: z
        .boolean()
        .describe('Whether what its owner types goes to this one: the one that they went to last, while it is attended.'),
      attended: z.boolean().describe('Whether its owner has it on a screen now; one that was left ends after a while.'),
    }),
  )
  .describe('The shells that are open on this server, oldest first.')
export type OpenTerminals = z.infer<typeof OpenTerminals>

export const LabGuests = z
  .object({
    partners: z.int().describe('Invited people who may type.'),
    watchers: z.int().describe('Invited people who look on.'),
  })
  .describe('Who follows the sandbox on this server beside its owner.')
export type LabGuests = z.infer<typeof LabGuests>

export const SandboxSnapshot = z
  .object({
    sandbox: SandboxState,
    containers: z.array(ContainerState).describe('The state of each container; empty while it is not known.'),
    grading: Grading.nullable().describe('The evaluation in progress.'),
    evaluation: EvaluationRecord.nullable().describe('The last evaluation that has ended.'),
    terminals: OpenTerminals,
    guests: LabGuests,
  })
  .meta({ id: 'SandboxSnapshot' })
export type SandboxSnapshot = z.infer<typeof SandboxSnapshot>

/** Each event by its name, with what it means. */
export const sandboxEvents = {
  snapshot: SandboxSnapshot.describe('All there is to know now. Always the first event, so a new connection misses nothing.'),
  sandbox: SandboxState.describe('Its status, expiry, warnings or evaluations left have changed.'),
  container: ContainerState.describe('A container has started or stopped.'),
  warning: z
    .object({
      minutes_left: z.int().describe('It ends within so many minutes: 10, 5 and 1.'),
      message: z.string().describe('The same in words.'),
    })
    .describe('It ends soon. Said again when it was extended.'),
  grading: Grading.describe('An evaluation has begun, or begun once more.'),
  step: GradingStep.describe('A step is decided. The first five come in any order, because they are observed at once.'),
  terminals: z
    .object({ open: OpenTerminals })
    .describe('A shell was opened, left or come back to, has the keys of its owner now, or has ended.'),
  guests: LabGuests.describe('An invited person has come or gone.'),
  evaluation: EvaluationRecord.describe('An evaluation has ended with a result.'),
  grading_failed: z
    .object({
      code: z.string().describe('The code of the error.'),
      message: z.string().describe('What happened.'),
    })
    .describe('An evaluation has ended without a result.'),
  removed: z
    .object({ message: z.string().describe('The same in words.') })
    .describe('Your invitation was ended, or your token replaced. The last event.'),
  end: z
    .object({
      termination_reason: TerminationReason.nullable(),
      message: z.string().describe('The same in words.'),
    })
    .describe('The sandbox has ended. The last event.'),
} as const

export type SandboxEventName = keyof typeof sandboxEvents
export type SandboxEvent = {
  [Name in SandboxEventName]: { readonly event: Name; readonly data: z.infer<(typeof sandboxEvents)[Name]> }
}[SandboxEventName]

/** The id of the last event. Whoever comes back with it is told that there is nothing more. */
export const lastEventId = 'end'

export const EventStream = z.string().describe('Server-sent events: `event` names one of those above, `data` is its JSON in one line.')
