// What happens in the gradings of this server, for whoever follows them: kept in memory, because it is over within a minute. The result
// is in the store; followers read it there.

import type { Grading, GradingStep, SandboxEvent } from '../contract/event.ts'
import { LabError } from '../errors.ts'
import type { StepOutcome, StepReport } from './grade.ts'

export type GradingEvent = Extract<SandboxEvent, { event: 'grading' | 'step' | 'grading_failed' }> | { readonly event: 'graded' }

const outcomes: Record<StepOutcome, GradingStep['outcome']> = {
  passed: 'passed',
  'not passed': 'failed',
  'not attempted': 'not_attempted',
}

const failureOf = (error: unknown) =>
  error instanceof LabError
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'the sandbox could not be graded' }

export const createGradingFeed = () => {
  const current = new Map<string, Grading>()
  const followers = new Map<string, Set<(event: GradingEvent) => void>>()

  const tell = (sandbox: string, event: GradingEvent) => {
    for (const follower of followers.get(sandbox) ?? []) follower(event)
  }

  const begin = (sandbox: string, startedAt: Date, attempt: number) => {
    const grading: Grading = { started_at: startedAt.toISOString(), attempt, steps: [] }
    current.set(sandbox, grading)
    tell(sandbox, { event: 'grading', data: { ...grading, steps: [] } })
  }

  return {
    /** The grading in progress, as far as it is decided. */
    current: (sandbox: string): Grading | null => {
      const grading = current.get(sandbox)
      return grading === undefined ? null : { ...grading, steps: [...grading.steps] }
    },

    follow: (sandbox: string, follower: (event: GradingEvent) => void): (() => void) => {
      const all = followers.get(sandbox) ?? new Set()
      followers.set(sandbox, all.add(follower))
      return () => {
        all.delete(follower)
        if (all.size === 0) followers.delete(sandbox)
      }
    },

    /** Runs a grading and tells of it. `again` says that it begins once more. */
    run: async <T>(
      sandbox: string,
      startedAt: Date,
      work: (progress: { readonly report: StepReport; readonly again: () => void }) => Promise<T>,
    ): Promise<T> => {
      begin(sandbox, startedAt, 1)
      const report: StepReport = (name, outcome, output) => {
        const step: GradingStep = { name, outcome: outcomes[outcome], output }
        current.get(sandbox)?.steps.push(step)
        tell(sandbox, { event: 'step', data: step })
      }
      try {
        const result = await work({ report, again: () => begin(sandbox, startedAt, (current.get(sandbox)?.attempt ?? 1) + 1) })
        current.delete(sandbox)
        tell(sandbox, { event: 'graded' })
        return result
      } catch (error) {
        current.delete(sandbox)
        tell(sandbox, { event: 'grading_failed', data: failureOf(error) })
        throw error
      }
    },
  }
}

export type GradingFeed = ReturnType<typeof createGradingFeed>
