// What a drill says: the status bar, the verdict, hints, the keys. Pure: values in, text for a terminal out.

import stringWidth from 'string-width'
import { hintsLeftWords } from '../../client/hints-left.ts'
import type { CourseDetail } from '../../contract/course.ts'
import { type Checkpoint, type Evaluation, type Hint, stepNames } from '../../contract/evaluation.ts'
import type { GradingStep } from '../../contract/event.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import type { LabError } from '../../errors.ts'
import { cut, padTo, wrap } from '../lib/columns.ts'
import { pluralize } from '../lib/pluralize.ts'
import { bold, coloured, dim, inline, renderMarkdown } from './markdown.ts'

const widest = 100
/** Text is easier to read in lines that are not too long. */
export const textWidth = (columns: number): number => Math.min(columns - 1, widest)

const urgentSeconds = 5 * 60

export const countdown = (secondsLeft: number): string => {
  const whole = Math.max(0, Math.floor(secondsLeft))
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`
}

export const commands = {
  g: 'grade',
  h: 'hint',
  t: 'time',
  b: 'brief',
  c: 'next machine',
  s: 'stop',
  q: 'leave',
  '?': 'help',
} as const

const listed = (keys: readonly (keyof typeof commands)[]) => keys.map((key) => `${key} ${commands[key].split(' ')[0]}`).join('  ')
const menus = [`Ctrl-]  ${listed(['g', 'h', 'b', 'c', 's', '?'])}`, `Ctrl-]  ${listed(['g', 'h', 's', '?'])}`, 'Ctrl-] ?']
const leastTitle = 24

export const commandMenu = listed(['g', 'h', 'b', 'c', 's', 'q', '?'])

export interface Status {
  readonly title: string
  readonly container: string
  readonly secondsLeft: number
  /** Shown where the keys are listed otherwise. */
  readonly notice: string | undefined
}

/** One row in reverse video, exactly as wide as the screen. */
export const statusBar = ({ title, container, secondsLeft, notice }: Status, columns: number): string => {
  const time = ` ${countdown(secondsLeft)} `
  const lead = ` ${container} │ `
  const room = columns - stringWidth(time) - stringWidth(lead) - 3
  const menu = notice ?? menus.find((text) => stringWidth(text) + leastTitle <= room) ?? ''
  const right = cut(menu, room)
  const left = padTo(cut(title, room - stringWidth(right)), room - stringWidth(right))
  const rest = columns - stringWidth(time)
  const clock = secondsLeft < urgentSeconds ? `\x1b[0;1;97;41m${time}` : `\x1b[0;1;7m${time}`
  return `${clock}\x1b[0;7m${padTo(cut(`${lead}${left}  ${right} `, rest), rest)}\x1b[0m`
}

const rule = (title: string, columns: number) =>
  `${dim('──')} ${bold(title)} ${dim('─'.repeat(Math.max(0, textWidth(columns) - stringWidth(title) - 4)))}`

const section = (title: string, body: string, columns: number): string => `${rule(title, columns)}\n${body}`

export const machineText = (course: CourseDetail, container: string, columns: number): string =>
  section(container, dim(` ${course.topology.services.find(({ name }) => name === container)?.role ?? ''}`), columns)

export const newShellText = (container: string, serverStopped: boolean, columns: number): string => {
  const why = serverStopped ? 'The server was restarted' : 'The connection was lost'
  const text = `${why}, and the shell that you were in has ended, with all that ran in its foreground. The machines still run. This is a new shell.`
  return section(container, wrap(text, textWidth(columns), ' ').join('\n'), columns)
}

export const errorText = ({ message, hint }: LabError): string =>
  `${coloured('red', message)}${hint === undefined ? '' : dim(` (${hint})`)}`

type Outcome = GradingStep['outcome']

/** Of a step in an evaluation, which does not say it by itself. */
const outcomeOf = ({ passed, output }: Checkpoint): Outcome => {
  if (passed) return 'passed'
  return output === 'not attempted' ? 'not_attempted' : 'failed'
}

const marks: Record<Outcome, string> = { passed: coloured('green', '✓'), failed: coloured('red', '✗'), not_attempted: dim('–') }
const spoken = (name: string) => name.replaceAll('_', ' ')
const nameWidth = Math.max(...stepNames.map((name) => stringWidth(spoken(name))))

/** One step, with what was observed; grey where it was not attempted. */
export const stepLine = (step: Checkpoint | GradingStep, columns: number): string => {
  const outcome = 'outcome' in step ? step.outcome : outcomeOf(step)
  const name = padTo(spoken(step.name), nameWidth)
  const shown = { passed: name, failed: bold(name), not_attempted: dim(name) }[outcome]
  const output = outcome === 'not_attempted' ? dim(step.output) : step.output
  return wrap(output, textWidth(columns), ` ${marks[outcome]} ${shown}  `).join('\n')
}

const plainMarks: Record<Outcome, string> = { passed: '✓', failed: '✗', not_attempted: '–' }

/** For the status bar: the seven steps in their order, and the one that was decided last. */
export const gradingNotice = (steps: readonly GradingStep[]): string => {
  const outcomes = new Map(steps.map(({ name, outcome }) => [name, outcome]))
  const row = stepNames.map((name) => {
    const outcome = outcomes.get(name)
    return outcome === undefined ? '·' : plainMarks[outcome]
  })
  const last = steps.findLast(({ outcome }) => outcome !== 'not_attempted')
  return `grading ${row.join('')}${last === undefined ? ' …' : ` ${spoken(last.name)}`}`
}

/** The score, and what it means. */
export const verdictEnd = (evaluation: Evaluation, columns: number): string => {
  const score = bold(coloured(evaluation.passed ? 'green' : 'yellow', `Score ${evaluation.score} of 100`))
  const left = [
    `${pluralize(evaluation.evaluations_left, 'evaluation')} left`,
    ...(evaluation.hints_used > 0 ? [`${pluralize(evaluation.hints_used, 'hint')} taken`] : []),
    ...(evaluation.assisted ? ['assisted: the debrief was read before'] : []),
  ].join(', ')
  const closing = evaluation.passed
    ? wrap(
        `${bold('Repaired. Well done!')} The evaluation is stored as ${evaluation.evaluation_id} (GET /api/v1/evaluations lists it). The machines stay a little longer, so look around.`,
        textWidth(columns),
        ' ',
      )
    : []
  return [` ${score}  ${dim(left)}`, ...closing].join('\n')
}

export const verdict = (evaluation: Evaluation, columns: number): string => {
  const lines = evaluation.checkpoints.map((step) => stepLine(step, columns))
  return section('Grading', [...lines, '', verdictEnd(evaluation, columns)].join('\n'), columns)
}

export const debriefText = (debrief: string, columns: number): string =>
  section('Debrief', renderMarkdown(debrief, textWidth(columns)), columns)

/** How the sandbox has ended; `otherwise` where the server does not say. */
export const endText = (
  {
    termination_reason,
    termination_by,
    termination_note,
  }: Pick<SandboxSession, 'termination_reason' | 'termination_by' | 'termination_note'>,
  otherwise: string,
): string => {
  if (termination_by !== 'operator') return `The sandbox has ended (${termination_reason ?? otherwise}).`
  return `The sandbox was ended by the operator${termination_note === undefined ? '.' : `: ${termination_note}`}`
}

export const hintText = (hint: Hint, columns: number): string =>
  section(
    `Hint ${hint.level}`,
    [
      ...wrap(inline(hint.text), textWidth(columns), ' '),
      ...wrap(hint.hints_left === 0 ? 'This was the last one.' : `${hintsLeftWords(hint)}.`, textWidth(columns), ' ').map(dim),
    ].join('\n'),
    columns,
  )

export const helpText = (containers: readonly string[], columns: number): string => {
  const meanings: Record<keyof typeof commands, string> = {
    g: 'grade: seven checks from outside; what you type meanwhile is sent afterwards',
    h: 'the next hint',
    t: 'extend the time, up to the maximum lifetime of a sandbox',
    b: 'the brief again',
    c: `a shell on the next machine (${containers.join(' → ')})`,
    s: 'stop the sandbox and leave; asks first',
    q: 'leave, and choose whether the sandbox keeps running',
    '?': 'this page',
  }
  const lines = Object.entries(meanings).flatMap(([key, meaning]) => wrap(meaning, textWidth(columns), ` Ctrl-] ${bold(key)}   `))
  const rest = wrap(
    'Everything else goes to the shell, Ctrl-C too. Ctrl-] twice sends one Ctrl-]. The command exit returns to the workstation; there, it ends the drill.',
    textWidth(columns),
    ' ',
  )
  return section('Keys', [...lines, ...rest.map(dim)].join('\n'), columns)
}
