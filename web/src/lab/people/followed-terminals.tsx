// The terminals of the owner, as a guest follows them: a tab for each that is open. They have the size of the owner's window,
// and the tab of the one that the owner types into now says so.

import { useState } from 'preact/hooks'
import type { OpenTerminals } from '../../../../src/contract/event.ts'
import type { SandboxSession } from '../../../../src/contract/sandbox.ts'
import { useLabAs } from '../lab-role.ts'
import { TerminalPane } from '../terminal/terminal-pane.tsx'

interface FollowedTerminalsProps {
  readonly session: SandboxSession
  readonly open: OpenTerminals
  readonly isOver: boolean
}

/** The second one on a machine has a number. */
const titles = (open: OpenTerminals): readonly string[] =>
  open.map(({ container }, index) => {
    const before = open.slice(0, index).filter((one) => one.container === container).length
    return before === 0 ? container : `${container} ${before + 1}`
  })

export const FollowedTerminals = ({ session, open, isOver }: FollowedTerminalsProps) => {
  const { role } = useLabAs()
  const [chosen, setChosen] = useState<string | null>(null)
  // What the owner has left, in a tab that was closed, is open for a while: it is not what a guest came to see.
  const shown = open.find(({ terminal_id }) => terminal_id === chosen) ?? open.find(({ attended }) => attended) ?? open[0]
  const names = titles(open)
  return (
    <section class="terminals terminals-followed" aria-label="Terminals">
      <div class="terminals-head">
        <div class="tabs" role="tablist" aria-label="Open terminals">
          {open.map(({ terminal_id, has_keys }, index) => (
            <button
              key={terminal_id}
              type="button"
              role="tab"
              id={`tab-${terminal_id}`}
              class="tab mono"
              aria-selected={terminal_id === shown?.terminal_id}
              onClick={() => setChosen(terminal_id)}
            >
              {names[index]}
              {has_keys ? (
                <span class="owner-here">
                  <span class="owner-mark" aria-hidden="true" />
                  owner is here
                </span>
              ) : null}
            </button>
          ))}
        </div>
        <span class="muted small guest-role">{role === 'partner' ? 'You may type here, too.' : 'You are watching.'}</span>
      </div>
      {open.length === 0 ? (
        <p class="state">{isOver ? 'The lab has ended.' : 'The owner has no terminal open. It appears here by itself.'}</p>
      ) : null}
      {open.map(({ terminal_id, container }) => (
        <TerminalPane
          key={terminal_id}
          session={session}
          container={container}
          follows={terminal_id}
          isShown={terminal_id === shown?.terminal_id}
          hasKeys={terminal_id === shown?.terminal_id}
          isSplit={false}
          focused={() => undefined}
          isOver={isOver}
          isRestarting={false}
          restart={null}
          loaded={() => undefined}
          command={() => undefined}
          waiting={() => undefined}
        />
      ))}
    </section>
  )
}
