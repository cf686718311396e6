import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { countdown, endText, gradingNotice, hintText, statusBar, stepLine, verdict } from './text.ts'

const plain = (text: string) => stripVTControlCharacters(text)

describe('the status bar', () => {
  const status = { title: 'Booking answers 502 since the morning deploy', container: 'ops', secondsLeft: 2699.4, notice: undefined }

  it.each([1, 7, 12, 40, 60, 80, 120, 300])('is exactly as wide as a screen of %i columns', (columns) => {
    const wide = stringWidth(statusBar(status, columns))
    expect(wide).toBe(Math.max(columns, ' 44:59 '.length))
    expect(stringWidth(statusBar({ ...status, notice: 'a word that is said '.repeat(9) }, columns))).toBe(wide)
  })

  it.each([1, 7, 12, 13, 20, 21, 40, 80])('is so with wide characters too, on %i columns', (columns) => {
    const wide = stringWidth(statusBar({ ...status, title: '予約システムは朝から応答しない' }, columns))
    expect(wide).toBe(Math.max(columns, ' 44:59 '.length))
  })

  it('counts down, turns red in the last five minutes, and stops at zero', () => {
    expect(plain(statusBar(status, 80))).toMatch(/^ 44:59 {2}ops │ Booking .*grade/)
    expect(statusBar(status, 80)).not.toContain(';41m')
    expect(statusBar({ ...status, secondsLeft: 299 }, 80)).toMatch(/;41m 04:59 /)
    expect(countdown(-3)).toBe('00:00')
    expect(countdown(7200)).toBe('120:00')
  })
})

describe('a verdict', () => {
  it('shows every checkpoint with its output, within the screen', () => {
    const names = [
      'topology_intact',
      'service_recovered',
      'root_cause_removed',
      'data_preserved',
      'safeguards_kept',
      'survives_restart',
      'x',
    ]
    const checkpoints = names.map((name, index) => ({
      name,
      passed: index !== 1,
      output: index === 2 ? 'f'.repeat(200) : 'seen and said '.repeat(9),
    }))
    const text = plain(
      verdict(
        {
          passed: false,
          score: 40,
          checkpoints,
          evaluation_id: 'e1',
          evaluations_left: 1,
          evaluations_used: 19,
          hints_used: 2,
          assisted: false,
          expires_at: '2026-11-16T04:00:00.000Z',
        },
        80,
      ),
    )
    expect(text).toContain('✓ topology intact')
    expect(text).toContain('✗ service recovered')
    expect(text).toContain('Score 40 of 100  1 evaluation left, 2 hints taken')
    expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThan(80)
    expect(text.match(/f{10,}/g)?.join('')).toBe('f'.repeat(200))
  })
})

describe('a hint', () => {
  const hint = { level: 2, text: 'Its configuration names the file.', hints_left: 1 }

  it('promises no more hints than can be had', () => {
    expect(plain(hintText({ ...hint, hints_left_unconditional: 0 }, 100))).toContain('1 hint left, for a certain state of the system only.')
    expect(plain(hintText({ ...hint, hints_left: 0, hints_left_unconditional: 0 }, 100))).toContain('This was the last one.')
  })
})

describe('the end', () => {
  it('says whether the operator has ended it, and why', () => {
    const stopped = { termination_reason: 'stopped', termination_by: 'operator' } as const
    expect(endText({ ...stopped, termination_note: 'maintenance' }, 'over')).toBe('The sandbox was ended by the operator: maintenance')
    expect(endText(stopped, 'over')).toBe('The sandbox was ended by the operator.')
    expect(endText({ termination_reason: 'expired' }, 'over')).toBe('The sandbox has ended (expired).')
    expect(endText({}, 'over')).toBe('The sandbox has ended (over).')
  })
})

describe('a step', () => {
  it('that was not attempted is grey and has its own mark; a failed one is red', () => {
    const output = 'not attempted'
    expect(stepLine({ name: 'survives_restart', passed: false, output }, 80)).toContain('\x1b[2m–\x1b[22m \x1b[2msurvives restart')
    expect(stepLine({ name: 'survives_restart', outcome: 'not_attempted', output }, 80)).not.toContain('\x1b[31m')
    expect(stepLine({ name: 'data_preserved', passed: false, output: 'gone' }, 80)).toContain('\x1b[31m✗')
  })

  it('has its place in the notice, whenever it was decided', () => {
    expect(gradingNotice([])).toBe('grading ······· …')
    const steps = [
      { name: 'data_preserved', outcome: 'passed', output: '' },
      { name: 'service_recovered', outcome: 'failed', output: '' },
      { name: 'survives_restart', outcome: 'not_attempted', output: '' },
    ] as const
    expect(gradingNotice(steps)).toBe('grading ·✗·✓·–· service recovered')
  })
})

describe('a brief', () => {
  it('is readable: wrapped, aligned, without marks', () => {
    const text = plain(
      renderMarkdown(
        [
          '# A title',
          '',
          '> Quoted *words* that',
          '> go on.',
          '',
          '| machine | does |',
          '|---|---|',
          '| `web` | serves a long story that does not fit in one line |',
          '',
          '- one **bold thing**',
          '  and more',
          '- two',
          '',
          '```sh',
          'curl  -s http://web | jq',
          '```',
        ].join('\n'),
        40,
      ),
    )
    expect(text.split('\n')).toEqual([
      'A title',
      '',
      '│ Quoted words that go on.',
      '',
      '  machine  does',
      '  web      serves a long story that does',
      '           not fit in one line',
      '',
      '• one bold thing and more',
      '• two',
      '',
      '    curl  -s http://web | jq',
    ])
  })
})
