import { describe, expect, it } from 'vitest'
import { LabError } from '../errors.ts'
import { createGradingFeed, type GradingEvent } from './grading-feed.ts'

const startedAt = new Date('2026-11-18T10:00:00Z')
const started_at = startedAt.toISOString()

describe('the feed of gradings', () => {
  it('tells the followers of one sandbox what is decided, and keeps it as long as the grading lasts', async () => {
    const feed = createGradingFeed()
    const events: GradingEvent[] = []
    const others: GradingEvent[] = []
    const leave = feed.follow('one', (event) => events.push(event))
    feed.follow('two', (event) => others.push(event))
    const result = await feed.run('one', startedAt, async ({ report, again }) => {
      report('topology_intact', 'not passed', 'a machine is gone')
      expect(feed.current('one')?.steps).toHaveLength(1)
      again()
      expect(feed.current('one')).toEqual({ started_at, attempt: 2, steps: [] })
      report('topology_intact', 'passed', 'all there')
      report('survives_restart', 'not attempted', 'not attempted')
      return 'graded'
    })
    expect([result, feed.current('one'), others]).toEqual(['graded', null, []])
    expect(events).toEqual([
      { event: 'grading', data: { started_at, attempt: 1, steps: [] } },
      { event: 'step', data: { name: 'topology_intact', outcome: 'failed', output: 'a machine is gone' } },
      { event: 'grading', data: { started_at, attempt: 2, steps: [] } },
      { event: 'step', data: { name: 'topology_intact', outcome: 'passed', output: 'all there' } },
      { event: 'step', data: { name: 'survives_restart', outcome: 'not_attempted', output: 'not attempted' } },
      { event: 'graded' },
    ])
    leave()
    await feed.run('one', startedAt, async () => undefined)
    expect(events).toHaveLength(6)
  })

  it('tells that a grading failed, and nothing of an error that is none of ours', async () => {
    const feed = createGradingFeed()
    const events: GradingEvent[] = []
    feed.follow('one', (event) => events.push(event))
    const fail = (error: Error) => feed.run('one', startedAt, () => Promise.reject(error)).catch((thrown: unknown) => thrown)
    const error = new LabError('grading_failed', 'it could not be graded')
    expect(await fail(error)).toBe(error)
    await fail(new Error('secret'))
    expect(events.filter(({ event }) => event === 'grading_failed')).toEqual([
      { event: 'grading_failed', data: { code: 'grading_failed', message: 'it could not be graded' } },
      { event: 'grading_failed', data: { code: 'internal', message: 'the sandbox could not be graded' } },
    ])
    expect(feed.current('one')).toBeNull()
  })
})
