// The terminals of a lab: a tab for each machine. One is opened when its tab is shown first, and goes on while another is shown.

import { useEffect, useState } from 'preact/hooks'
import type { ContainerState } from '../../../../src/contract/event.ts'
import type { SandboxSession } from '../../../../src/contract/sandbox.ts'
import { MachineDot, machineWord } from '../lab-bar.tsx'
import { TerminalPane } from './terminal-pane.tsx'
import type { LiveTerminal } from './terminal-port.ts'
import { FindBar, TerminalTools } from './terminal-tools.tsx'

export interface TerminalsProps {
  readonly session: SandboxSession
  readonly states: ReadonlyMap<string, ContainerState>
  readonly shown: string
  readonly show: (container: string) => void
  /** In the second pane; null without one. */
  readonly beside: string | null
  readonly split: () => void
  readonly isOver: boolean
  /** Of all machines, or of one. */
  readonly isRestarting: (container: string) => boolean
  readonly isFinding: boolean
  readonly setFinding: (isFinding: boolean) => void
  readonly restart: (container: string) => void
  readonly command: (key: string) => void
  readonly waiting: (isWaiting: boolean) => void
  readonly say: (text: string) => void
}

const neighbour = (names: readonly string[], name: string, key: string): string | undefined => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key]
  return by === undefined ? undefined : names[(names.indexOf(name) + by + names.length) % names.length]
}

export const Terminals = (props: TerminalsProps) => {
  const { session, states, shown, beside, show, isOver, isFinding, setFinding } = props
  const names = session.containers
  const [opened, setOpened] = useState<readonly string[]>([shown])
  const [terminals, setTerminals] = useState<ReadonlyMap<string, LiveTerminal>>(new Map())
  useEffect(() => setOpened((before) => [...new Set([...before, shown, ...(beside === null ? [] : [beside])])]), [shown, beside])
  useEffect(() => document.getElementById(`tab-${shown}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [shown])
  /** Arrows go from tab to tab; Enter shows one, and its terminal has the keys then. */
  const press = (event: KeyboardEvent, name: string) => {
    const next = neighbour(names, name, event.key)
    if (next === undefined) return
    event.preventDefault()
    document.getElementById(`tab-${next}`)?.focus()
  }
  const closeSearch = () => {
    setFinding(false)
    terminals.get(shown)?.focus()
  }
  return (
    <section class="terminals" aria-label="Terminals">
      <p class="small-screen-note">A terminal wants a bigger screen. It works here all the same.</p>
      <div class="terminals-head">
        <div class="tabs" role="tablist" aria-label="Machines">
          {names.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              class="tab mono"
              aria-selected={name === shown}
              aria-controls={opened.includes(name) ? `pane-${name}` : undefined}
              tabIndex={name === shown ? 0 : -1}
              title={`${name} ${machineWord(states.get(name))}`}
              onClick={() => show(name)}
              onKeyDown={(event) => press(event, name)}
            >
              <MachineDot state={states.get(name)} />
              {name}
              {states.get(name)?.status === 'stopped' ? <span class="unseen"> has stopped</span> : null}
            </button>
          ))}
        </div>
        <TerminalTools
          terminal={terminals.get(shown)}
          all={[...terminals.values()]}
          container={shown}
          find={() => setFinding(!isFinding)}
          split={names.length > 1 ? props.split : null}
          isSplit={beside !== null}
          restart={isOver ? null : () => props.restart(shown)}
          say={props.say}
        />
      </div>
      {isFinding ? <FindBar key={shown} terminal={terminals.get(shown)} close={closeSearch} /> : null}
      <div class={beside === null ? 'panes' : 'panes panes-split'}>
        {names
          .filter((name) => opened.includes(name))
          .map((name) => (
            <TerminalPane
              key={name}
              session={session}
              container={name}
              isShown={name === shown || name === beside}
              hasKeys={name === shown}
              isSplit={beside !== null}
              focused={() => {
                if (name === beside) show(name)
              }}
              isOver={isOver}
              isRestarting={props.isRestarting(name)}
              restart={isOver ? null : () => props.restart(name)}
              loaded={(container, terminal) => setTerminals((before) => new Map(before).set(container, terminal))}
              command={props.command}
              waiting={props.waiting}
            />
          ))}
      </div>
    </section>
  )
}
