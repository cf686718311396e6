// A lab: brief, hints and steps on one side, terminals on the other, the time above and the seven steps below.

import { useRef, useState } from 'preact/hooks'
import type { CourseDetail } from '../../../src/contract/course.ts'
import type { ContainerState } from '../../../src/contract/event.ts'
import type { SandboxSession } from '../../../src/contract/sandbox.ts'
import { readSetting, writeSetting } from '../browser-settings.ts'
import { Markdown } from '../ui/markdown.tsx'
import { Loading } from '../ui/states.tsx'
import { Brief } from './brief.tsx'
import { Hints } from './hints.tsx'
import { LabBar } from './lab-bar.tsx'
import { commandMenu, isLabCommand, type LabCommand } from './lab-commands.ts'
import { LabHelp } from './lab-help.tsx'
import { LabNotices } from './lab-notices.tsx'
import { useLabAs } from './lab-role.ts'
import { isOver } from './lab-state.ts'
import { FollowedTerminals } from './people/followed-terminals.tsx'
import { People } from './people/people.tsx'
import { type Asking, Question } from './question.tsx'
import { giveUpQuestion, restartQuestion, stopQuestion } from './questions.ts'
import { Result } from './result.tsx'
import { Side, type SideTab } from './side.tsx'
import { statusWords } from './status-words.ts'
import { stepViews } from './step-views.ts'
import { StepsStrip } from './steps-strip.tsx'
import { Terminals } from './terminal/terminals.tsx'
import { useActions } from './use-actions.ts'
import { useDebrief } from './use-debrief.ts'
import { useEnd } from './use-end.ts'
import type { FollowedLab } from './use-lab.ts'
import { usePanes } from './use-panes.ts'
import { useSaying } from './use-saying.ts'

const restartedMs = 3_000
/** Nothing is known of machines that are gone. */
const gone = new Map<string, ContainerState>()

/** Where there are none: yet, or any more. */
const withoutTerminals: Readonly<Partial<Record<SandboxSession['status'], string>>> = {
  starting: 'The machines are being built. Their terminals open by themselves.',
  terminated: 'The machines are gone, and their terminals with them.',
}

interface LabProps {
  readonly session: SandboxSession
  readonly course: CourseDetail | undefined
  readonly followed: FollowedLab
  /** Undefined where the server does not tell. */
  readonly extendMinutes: number | undefined
}

export const Lab = ({ session, course, followed, extendMinutes }: LabProps) => {
  const { state } = followed
  const { role, token } = useLabAs()
  const isGuest = role !== 'owner'
  const actions = useActions(session)
  const debrief = useDebrief(state, actions)
  const [tab, setTab] = useState<SideTab>('brief')
  const [isSideOpen, setSideOpen] = useState(readSetting('lab-side') !== 'hidden')
  const { shown, beside, show, showNext, split, swap } = usePanes(session.containers)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [saying, say] = useSaying()
  const [restarting, setRestarting] = useState<string | null>(null)
  const hideButton = useRef<HTMLDivElement>(null)

  const noTerminals = withoutTerminals[session.status]
  const over = isOver(state)
  const states = over ? gone : state.containers
  useEnd(session.id, over)
  const isGrading = state.grading !== null || actions.isRunning('grade')
  const views = stepViews(state)
  const openSide = (next: SideTab) => {
    setTab(next)
    setSideOpen(true)
  }
  const setSide = (isOpen: boolean) => {
    writeSetting('lab-side', isOpen ? null : 'hidden')
    setSideOpen(isOpen)
  }
  const readDebrief = async () => {
    if (debrief.text !== null || (await actions.giveUp())) openSide('debrief')
  }
  const restart = async (container: string) => {
    setRestarting(container)
    await actions.restart(container)
    setTimeout(() => setRestarting(null), restartedMs) // its shell may be told a little later
  }
  const hint = async () => {
    openSide('hints')
    await actions.hint()
  }

  /** The steps appear where they can be read, one by one. */
  const grade = async () => {
    openSide('steps')
    await actions.grade()
  }

  const stop = () => setAsking(stopQuestion(token === undefined, () => void actions.stop()))
  const giveUp = () => setAsking(giveUpQuestion(() => void readDebrief()))
  const commands: Readonly<Record<LabCommand, () => unknown>> = {
    g: grade,
    h: hint,
    t: actions.extend,
    c: showNext,
    '|': split,
    o: swap,
    b: () => (isSideOpen && tab === 'brief' ? setSide(false) : openSide('brief')),
    s: stop,
    f: () => setFinding(true),
    q: () => hideButton.current?.querySelector('button')?.focus(),
    '?': () => setHelpOpen(true),
  }
  const command = (key: string) => {
    if (over) return
    if (isLabCommand(key)) void commands[key]()
    else say(`Ctrl-] and ${JSON.stringify(key)} means nothing. Ctrl-] ? shows the keys.`)
  }
  const guests = state.guests.partners + state.guests.watchers
  const hasTab = (name: SideTab) => {
    if (name === 'debrief') return debrief.text !== null
    return !isGuest || (name !== 'hints' && name !== 'people')
  }
  const live = {
    states: new Map([...states].map(([name, { status }]) => [name, status] as const)),
    open: show,
    restart: over || isGuest ? null : (container: string) => setAsking(restartQuestion(container, () => void restart(container))),
  }
  const asked = { isGrading: actions.isRunning('grade'), waits: actions.waits }

  return (
    <div class={isSideOpen ? 'lab' : 'lab lab-wide'}>
      <div ref={hideButton}>
        <LabBar
          title={course?.title ?? 'Your lab'}
          names={session.containers}
          expiresAt={state.sandbox?.expires_at ?? session.expires_at}
          {...{ states, extendMinutes, actions, isGrading, isSideOpen, isGuest, stop }}
          isOver={over}
          toggleSide={() => setSide(!isSideOpen)}
          grade={() => void grade()}
          hint={() => void hint()}
        />
        <LabNotices {...{ followed, actions, extendMinutes, isGuest }} />
      </div>
      <div class="lab-body">
        {isSideOpen ? (
          <Side tab={tab} has={hasTab} guests={guests} show={setTab} hide={() => setSide(false)}>
            {tab === 'brief' ? course === undefined ? <Loading what="the ticket" /> : <Brief {...{ course, session, live }} /> : null}
            {tab === 'hints' ? <Hints actions={actions} available={course?.hints_available} isOver={over} /> : null}
            {tab === 'steps' ? (
              <Result
                {...{ state, views, course, stop, isGuest }}
                giveUp={token === undefined ? giveUp : null}
                hasDebrief={debrief.isDue}
                readDebrief={() => void readDebrief()}
              />
            ) : null}
            {tab === 'people' ? <People sandboxId={session.id} guests={state.guests} isOver={over} /> : null}
            {tab === 'debrief' && debrief.text !== null ? <Markdown text={debrief.text} /> : null}
          </Side>
        ) : null}
        {noTerminals === undefined && isGuest ? (
          <FollowedTerminals session={session} open={state.terminals} isOver={over} />
        ) : noTerminals === undefined ? (
          <Terminals
            {...{ session, states, shown, beside, show, split, isFinding, setFinding, command, say }}
            isOver={over}
            isRestarting={(container) => isGrading || restarting === container}
            restart={(container) => live.restart?.(container)}
            waiting={setWaiting}
          />
        ) : (
          <section class="terminals" aria-label="Terminals">
            <p class="state">{noTerminals}</p>
          </section>
        )}
      </div>
      <StepsStrip views={views} status={isWaiting ? commandMenu : (saying ?? statusWords(state, asked))} open={() => openSide('steps')} />
      <Question asking={asking} close={() => setAsking(null)} />
      <LabHelp isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
    </div>
  )
}
