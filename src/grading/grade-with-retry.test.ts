import { describe, expect, it } from 'vitest'
import { type Deadline, startDeadline } from './deadline.ts'
import { gradeWithRetry, type Verdict } from './grade.ts'
import { InfrastructureError } from './observer.ts'

const verdict: Verdict = { passed: false, score: 20, checkpoints: [], evidence: [], windowsMs: 0, durationMs: 0 }
const failed = new InfrastructureError('the probe did not answer')

/** Attempts that throw these, one after the other, and then come to a verdict; what they were given is kept. */
const attempts = (...errors: readonly Error[]) => {
  const deadlines: Deadline[] = []
  const shortened: boolean[] = []
  const work = async (deadline: Deadline): Promise<Verdict> => {
    deadlines.push(deadline)
    shortened.push(deadline.isShortened())
    const error = errors[deadlines.length - 1]
    if (error !== undefined) throw error
    return verdict
  }
  return { work, deadlines, shortened }
}

describe('an evaluation', () => {
  it('is graded once where nothing fails, whatever the verdict', async () => {
    const { work, deadlines } = attempts()
    expect(await gradeWithRetry(work)).toBe(verdict)
    expect(deadlines).toHaveLength(1)
  })

  it('is tried once more, on what is left of the same time', async () => {
    const { work, deadlines, shortened } = attempts(failed)
    const reasons: unknown[] = []
    const between = async (error: unknown) => void reasons.push(error)
    expect(await gradeWithRetry(work, between)).toBe(verdict)
    expect(reasons).toEqual([failed])
    expect(deadlines[0]).toBe(deadlines[1])
    expect(shortened).toEqual([false, true])
  })

  it('is given up after the second failure, with its reason', async () => {
    const second = new InfrastructureError('the inspector of app could not be started')
    const { work, deadlines } = attempts(failed, second, failed)
    await expect(gradeWithRetry(work)).rejects.toBe(second)
    expect(deadlines).toHaveLength(2)
  })

  it('is not tried again where the caller says that it cannot be graded now', async () => {
    const { work, deadlines } = attempts(failed)
    const ended = new Error('the sandbox was stopped')
    await expect(gradeWithRetry(work, () => Promise.reject(ended))).rejects.toBe(ended)
    expect(deadlines).toHaveLength(1)
  })

  it('is not tried again once its time has run out', async () => {
    const { work, deadlines } = attempts(failed)
    await expect(gradeWithRetry(work, undefined, startDeadline(0))).rejects.toBe(failed)
    expect(deadlines).toHaveLength(1)
  })
})
