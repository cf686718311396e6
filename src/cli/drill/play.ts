// Runs a drill: keys, commands and the status bar, until the player leaves or the sandbox ends.

import type { Client } from '../../client/client.ts'
import { systemClock } from '../../clock.ts'
import type { CourseDetail } from '../../contract/course.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { isLabError, type LabError } from '../../errors.ts'
import { evaluateStepByStep } from '../lib/evaluate.ts'
import { createKeys } from './keys.ts'
import { renderMarkdown } from './markdown.ts'
import { createNotices, lowest } from './notices.ts'
import { createScreen } from './screen.ts'
import { createShells } from './shells.ts'
import {
  commandMenu,
  debriefText,
  errorText,
  gradingNotice,
  helpText,
  hintText,
  machineText,
  newShellText,
  statusBar,
  textWidth,
  verdict,
} from './text.ts'

export interface Drill {
  readonly client: Client
  readonly url: string
  readonly token: string
  readonly course: CourseDetail
  readonly sandbox: SandboxSession
}

/** How a drill ended: the player stops the sandbox, or leaves it running; or it ended by itself. */
export type Outcome = 'stop' | 'leave' | 'over'

const tickMs = 1_000
const syncEveryTicks = 20
const lastingMs = 120_000
const warningMs = 15_000

export const play = async ({ client, url, token, course, sandbox }: Drill): Promise<Outcome> => {
  const { promise: outcome, resolve: finish, reject: fail } = Promise.withResolvers<Outcome>()
  const [workstation = ''] = sandbox.containers
  let session = sandbox
  let isGrading = false
  /** The next key answers a question. */
  let answered: ((key: string) => void) | undefined

  const here = () => shells.container() ?? workstation
  const width = () => screen.size().columns
  const secondsLeft = () => (Date.parse(session.expires_at) - systemClock.now().getTime()) / 1000
  const sync = async () => {
    session = await client.sandbox(session.id)
  }
  const notices = createNotices(() => screen.refresh())
  const note = (text: string) => notices.show('note', text)

  /** One key; only a clear yes is one. */
  const agrees = async (question: string): Promise<boolean> => {
    const key = await new Promise<string>((resolve) => {
      answered = resolve
      notices.show('question', `${question} y: yes, any other key: no`, lastingMs)
    })
    answered = undefined
    notices.show('question', undefined)
    return /^y$/i.test(key)
  }
  const print = async (text: string) => {
    await screen.print(text)
    await shells.redraw()
  }
  /** Shows an error, and the drill goes on. */
  const attempt = (work: () => Promise<unknown>) =>
    work()
      .catch((error: unknown) => (isLabError(error) ? print(errorText(error)) : fail(error)))
      .catch(fail)

  /** Grading restarts containers, which ends their shells. `exit` returns to the workstation; there, it ends the drill. */
  const afterShell = async (container: string, end: 'exit' | LabError) => {
    if (end !== 'exit') return fail(end)
    if (isGrading) return shells.enter(container).catch(() => shells.enter(workstation))
    await sync()
    if (session.status === 'terminated') return finish('over')
    if (container === workstation) return finish('leave')
    await shells.enter(workstation)
  }

  const grade = async () => {
    if (isGrading) return note('grading is in progress')
    isGrading = true
    const tell = (text: string | undefined) => notices.show('grading', text, lastingMs)
    tell(gradingNotice([]))
    const evaluation = await evaluateStepByStep(client, session, {
      steps: (steps) => tell(gradingNotice(steps)),
      waits: (seconds) => tell(`grading, in ${seconds} s …`),
    }).finally(() => {
      isGrading = false
      tell(undefined)
    })
    const debrief = evaluation.debrief === undefined ? [] : [debriefText(evaluation.debrief, width())]
    await print([verdict(evaluation, width()), ...debrief].join('\n\n'))
    await sync()
  }

  const stop = async () => {
    if (await agrees('Stop the sandbox? All work in it is lost.')) finish('stop')
  }

  const commands: Record<string, () => Promise<unknown>> = {
    g: grade,
    h: async () => print(hintText(await client.hint(session.session_id), width())),
    t: async () => {
      session = await client.extend(session.session_id)
      note('the time was extended')
    },
    b: () => print(renderMarkdown(course.brief, textWidth(width()))),
    c: () => shells.enter(session.containers[(session.containers.indexOf(here()) + 1) % session.containers.length] as string),
    s: stop,
    q: async () => finish('leave'),
    '?': () => print(helpText(session.containers, width())),
  }
  const screen = createScreen(process.stdin, process.stdout, {
    keys: (chunk) => (answered === undefined ? keys(chunk) : answered(chunk.toString())),
    resized: () => shells.resize(),
    bar: (columns) => statusBar({ title: course.title, container: here(), secondsLeft: secondsLeft(), notice: notices.current() }, columns),
  })
  const keys = createKeys({
    shell: (keystrokes) => shells.send(keystrokes),
    command: (key) => {
      const command = commands[key]
      if (command === undefined) note(`Ctrl-] ${JSON.stringify(key)} is not a command; Ctrl-] ? lists the keys`)
      else attempt(command)
    },
    waiting: (isWaiting) => notices.show('menu', isWaiting ? commandMenu : undefined, lastingMs),
  })
  const shells = createShells({
    url,
    token,
    sessionId: sandbox.session_id,
    screen,
    warn: (text) => notices.show(lowest, text, warningMs),
    say: (text, milliseconds) => notices.show('connection', text, milliseconds),
    heading: (container) => machineText(course, container, width()),
    replaced: (container, wasStopped) => newShellText(container, wasStopped, width()),
    ended: (container, end) => attempt(() => afterShell(container, end)),
  })

  let ticks = 0
  const ticker = setInterval(() => {
    screen.refresh()
    ticks += 1
    if (ticks % syncEveryTicks === 0) sync().catch(() => undefined) // the shell notices when the server has stopped
  }, tickMs)
  screen.enter()
  try {
    await shells.enter(workstation)
    return await outcome
  } finally {
    clearInterval(ticker)
    notices.close()
    screen.leave()
    shells.close()
  }
}
