// The place of one terminal: loads and shows it, and says how its connection is.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SandboxSession } from '../../../../src/contract/sandbox.ts'
import { sentence } from '../../words.ts'
import { useLabAs } from '../lab-role.ts'
import { againWords, type LinkState, linkWords } from './link-state.ts'
import type { LiveTerminal } from './terminal-port.ts'
import { TouchKeys } from './touch-keys.tsx'

export interface TerminalPaneProps {
  readonly session: SandboxSession
  readonly container: string
  /** The shell that a guest follows. */
  readonly follows?: string
  readonly isShown: boolean
  /** What is typed goes to this one. */
  readonly hasKeys: boolean
  readonly isSplit: boolean
  /** Its terminal was pressed or reached by Tab. */
  readonly focused: () => void
  /** The lab has ended. */
  readonly isOver: boolean
  /** Its machine is being restarted. */
  readonly isRestarting: boolean
  /** Null for whoever may not, and when the lab has ended. */
  readonly restart: (() => void) | null
  readonly loaded: (container: string, terminal: LiveTerminal) => void
  readonly command: (key: string) => void
  readonly waiting: (isWaiting: boolean) => void
}

const warningMs = 10_000

/** The page itself warns before the end, with a way to more time. */
const isAboutTime = (warning: string) => /^less than .* left$/.test(warning)

export const TerminalPane = (props: TerminalPaneProps) => {
  const { session, container, follows, isShown, hasKeys, isSplit, isOver, isRestarting } = props
  const { token, role } = useLabAs()
  const name = follows ?? container
  const place = useRef<HTMLDivElement>(null)
  const [terminal, setTerminal] = useState<LiveTerminal | null>(null)
  const [state, setState] = useState<LinkState>({ kind: 'opening' })
  const [isMissing, setMissing] = useState(false)
  const [warning, setWarning] = useState<string | null>(null)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    let isLeft = false
    let shown: LiveTerminal | null = null
    const open = async () => {
      const { openTerminal } = await import('./terminal-registry.ts')
      const opened = await openTerminal({
        ...{ sandboxId: session.id, container },
        credential: token === undefined ? { session_id: session.session_id } : { token },
        ...(follows === undefined ? {} : { follows: { terminalId: follows, mayType: role === 'partner' } }),
      })
      if (isLeft || place.current === null) return
      shown = opened
      opened.attach(place.current, {
        changed: setState,
        warned: (text) => setWarning(isAboutTime(text) ? null : text),
        command: (key) => latest.current.command(key),
        waiting: (isWaiting) => latest.current.waiting(isWaiting),
      })
      setState(opened.state())
      setTerminal(opened)
      latest.current.loaded(container, opened)
    }
    open().catch(() => setMissing(true))
    return () => {
      isLeft = true
      shown?.detach()
    }
  }, [session.id, session.session_id, container, token, role, follows])

  useEffect(() => {
    if (terminal === null || place.current === null) return
    const observer = new ResizeObserver(() => terminal.fit())
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [terminal])

  useEffect(() => terminal?.expectRestart(isRestarting), [terminal, isRestarting])
  useEffect(() => {
    if (isOver) terminal?.end()
  }, [terminal, isOver])
  // Before the next key: it is for the terminal that the page shows as the one with the keys.
  useLayoutEffect(() => {
    if (isShown) terminal?.fit()
    if (hasKeys) terminal?.focus()
  }, [terminal, isShown, hasKeys])
  useEffect(() => {
    if (warning === null) return
    const timer = setTimeout(() => setWarning(null), warningMs)
    return () => clearTimeout(timer)
  }, [warning])

  const words = isOver ? '' : isMissing ? 'The terminal could not be loaded. Load the page again.' : linkWords(state, container)
  return (
    <div
      class={hasKeys ? 'terminal-pane' : 'terminal-pane pane-beside'}
      id={`pane-${name}`}
      role="tabpanel"
      aria-labelledby={`tab-${name}`}
      hidden={!isShown}
      onFocusIn={props.focused}
    >
      {isSplit ? <p class="pane-name mono">{`${container}${hasKeys ? '' : ' (not typed into)'}`}</p> : null}
      {words === '' && (warning === null || isOver) ? null : (
        <div class={`terminal-state terminal-${state.kind}`} role="status">
          <span>{words === '' ? sentence(warning ?? '') : words}</span>
          {state.kind === 'over' && !isOver && follows === undefined ? (
            <button type="button" class="button button-small" onClick={() => terminal?.reconnect()}>
              {againWords[state.why]}
            </button>
          ) : null}
          {state.kind === 'lost' && state.why === 'machine' && props.restart !== null ? (
            <button type="button" class="button button-small" onClick={props.restart}>
              {`Restart ${container}`}
            </button>
          ) : null}
        </div>
      )}
      <div class="terminal-place" ref={place} />
      {terminal === null || isOver || role === 'watcher' ? null : <TouchKeys terminal={terminal} />}
    </div>
  )
}
