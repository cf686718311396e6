// The drill itself: keys, shells and commands until the player leaves or the sandbox ends.

import { systemClock } from '../../clock.ts'
import type { CourseDetail } from '../../contract/course.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { isLabError, type LabError, messageOf } from '../../errors.ts'
import type { Api } from './api.ts'
import { createKeys } from './keys.ts'
import { coloured, dim, renderMarkdown } from './markdown.ts'
import { createScreen } from './screen.ts'
import { openShell, type RemoteShell } from './session.ts'
import { commandMenu, helpText, hintText, section, statusBar, textWidth, verdict } from './text.ts'

export interface Drill {
  readonly api: Api
  readonly url: string
  readonly token: string
  readonly course: CourseDetail
  readonly sandbox: SandboxSession
}

/** How it went on: the player stops it, or leaves it; or it ended by itself. */
export type Outcome = 'stop' | 'leave' | 'over'

const tickMs = 1_000
const noticeMs = 8_000
const syncEveryTicks = 20
const answerMs = 1_000

export const play = async ({ api, url, token, course, sandbox }: Drill): Promise<Outcome> => {
  const { promise: outcome, resolve: finish, reject: fail } = Promise.withResolvers<Outcome>()
  const workstation = sandbox.containers[0] as string
  let session = sandbox
  let shell: RemoteShell | undefined
  let isEntering = false
  let isGrading = false
  let heard: () => void = () => undefined
  let notice: string | undefined
  let noticeTimer: NodeJS.Timeout | undefined

  const secondsLeft = () => (Date.parse(session.expires_at) - systemClock.now().getTime()) / 1000
  const say = (text: string | undefined, milliseconds = noticeMs) => {
    clearTimeout(noticeTimer)
    notice = text
    if (text !== undefined) noticeTimer = setTimeout(() => say(undefined), milliseconds)
    screen.refresh()
  }
  const sync = async () => {
    session = await api.read(session.id)
  }
  /** Whatever fails while the drill runs is said, and the drill goes on. */
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: unknown) => (isLabError(error) ? print(complaint(error)) : fail(error)))
  const complaint = (error: LabError) => `${coloured('red', messageOf(error))}${error.hint === undefined ? '' : dim(` (${error.hint})`)}`

  const resize = () => {
    const { columns, rows } = screen.size()
    shell?.resize(columns, rows)
  }
  /** Has whatever runs in the shell draw its prompt or page again: it answers a change of size, and then there is another. */
  const redraw = async () => {
    const { columns, rows } = screen.size()
    const answer = new Promise<void>((resolve) => {
      heard = resolve
    })
    shell?.resize(columns, Math.max(1, rows - 1))
    await Promise.race([answer, systemClock.sleep(answerMs)])
    resize()
  }
  const print = async (text: string) => {
    await screen.print(text)
    await redraw()
  }

  const enter = async (container: string) => {
    if (isEntering) return
    isEntering = true
    try {
      say(`opening a shell on ${container} …`)
      const hello = { session_id: session.session_id, token, container, ...screen.size() }
      const next = await openShell(url, hello, {
        output: (chunk) => {
          if (shell !== next) return
          screen.output(chunk)
          heard()
        },
        warning: say,
      })
      const previous = shell
      shell = next
      previous?.close()
      next.ended.then((end) => (shell === next ? attempt(() => afterShell(end)) : undefined))
      if (previous !== undefined) await screen.print(section(container, dim(` ${roleOf(container)}`), screen.size().columns))
      resize()
      say(undefined)
    } finally {
      isEntering = false
    }
  }
  const roleOf = (container: string) => course.topology.services.find(({ name }) => name === container)?.role ?? ''

  /** Grading restarts machines, and their shells end with them; `exit` leads to the workstation, and from there out. */
  const afterShell = async (end: 'exit' | LabError) => {
    if (end !== 'exit') return fail(end)
    const { container } = shell as RemoteShell
    if (isGrading) return enter(container)
    await sync()
    if (session.status === 'terminated') return finish('over')
    if (container === workstation) return finish('leave')
    await enter(workstation)
  }

  const grade = async () => {
    if (isGrading) return say('grading is under way')
    isGrading = true
    say('grading …', 120_000)
    try {
      const evaluation = await api.evaluate(session.session_id)
      say(undefined)
      await print(verdict(evaluation, screen.size().columns))
      await sync()
    } finally {
      isGrading = false
      say(undefined)
    }
  }

  const commands: Record<string, () => Promise<void>> = {
    g: grade,
    h: async () => print(hintText(await api.hint(session.session_id), screen.size().columns)),
    b: () => print(renderMarkdown(course.brief, textWidth(screen.size().columns))),
    c: async () => {
      const at = session.containers.indexOf(shell?.container ?? workstation)
      await enter(session.containers[(at + 1) % session.containers.length] as string)
    },
    s: async () => finish('stop'),
    q: async () => finish('leave'),
    '?': () => print(helpText(session.containers, screen.size().columns)),
  }

  const keys = createKeys({
    shell: (keystrokes) => shell?.send(keystrokes),
    command: (key) => {
      const command = commands[key]
      if (command === undefined) say(`Ctrl-] ${key} means nothing; Ctrl-] ? lists the keys`)
      else attempt(command)
    },
    waiting: (isWaiting) => say(isWaiting ? commandMenu : undefined, 60_000),
  })
  const screen = createScreen(process.stdin, process.stdout, {
    keys,
    resized: resize,
    bar: (columns) =>
      statusBar({ title: course.title, container: shell?.container ?? workstation, secondsLeft: secondsLeft(), notice }, columns),
  })

  let ticks = 0
  const ticker = setInterval(() => {
    screen.refresh()
    ticks += 1
    if (ticks % syncEveryTicks === 0) sync().catch(() => undefined) // the shell's own connection tells when the server is gone
  }, tickMs)
  screen.enter()
  try {
    await enter(workstation)
    return await outcome
  } finally {
    clearInterval(ticker)
    clearTimeout(noticeTimer)
    screen.leave()
    const last = shell
    shell = undefined
    last?.close()
  }
}
