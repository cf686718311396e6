// What can be done with the terminal that is shown: find, copy, paste, the size of its letters, a restart of its machine.

import { useEffect, useRef, useState } from 'preact/hooks'
import { Glyph, type IconName } from '../../ui/icons.tsx'
import type { LiveTerminal } from './terminal-port.ts'
import { changeFontSize } from './terminal-settings.ts'

interface ToolProps {
  readonly name: IconName
  readonly label: string
  readonly press: () => void
}

const Tool = ({ name, label, press }: ToolProps) => (
  <button type="button" class="icon-button" aria-label={label} title={label} onClick={press}>
    <Glyph name={name} size={18} />
  </button>
)

interface FindBarProps {
  readonly terminal: LiveTerminal | undefined
  readonly close: () => void
}

export const FindBar = ({ terminal, close }: FindBarProps) => {
  const field = useRef<HTMLInputElement>(null)
  const [result, setResult] = useState('')
  useEffect(() => field.current?.focus(), [])
  const find = (direction: 'next' | 'previous') => {
    const text = field.current?.value ?? ''
    const isFound = terminal?.find(text, direction) === true
    setResult(text === '' || isFound ? '' : 'Nothing found')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    if (event.key !== 'Enter') return
    event.preventDefault()
    find(event.shiftKey ? 'next' : 'previous')
  }
  return (
    <search class="find-bar">
      <input
        ref={field}
        type="search"
        aria-label="Find in this terminal"
        placeholder="Find in this terminal"
        autoComplete="off"
        onInput={() => find('previous')}
        onKeyDown={press}
      />
      <span class="muted small" role="status">
        {result}
      </span>
      <button type="button" class="button button-small" onClick={() => find('previous')}>
        Before
      </button>
      <button type="button" class="button button-small" onClick={() => find('next')}>
        After
      </button>
      <Tool name="close" label="Close the search" press={close} />
    </search>
  )
}

interface TerminalToolsProps {
  readonly terminal: LiveTerminal | undefined
  readonly all: readonly LiveTerminal[]
  readonly container: string
  readonly find: () => void
  /** Null where there is one machine. */
  readonly split: (() => void) | null
  readonly isSplit: boolean
  readonly restart: (() => void) | null
  readonly say: (text: string) => void
}

const noSelection = 'Select something in the terminal first.'
const noClipboard = 'This browser gives pages no clipboard here: press Ctrl-Shift-V in the terminal.'

export const TerminalTools = ({ terminal, all, container, find, split, isSplit, restart, say }: TerminalToolsProps) => {
  const paste = async () => {
    const text = await navigator.clipboard?.readText().catch(() => undefined)
    if (text === undefined) say(noClipboard)
    else terminal?.paste(text)
  }
  const resize = (by: 1 | -1) => {
    const size = changeFontSize(by)
    for (const each of all) each.setFontSize(size)
  }
  return (
    <div class="terminal-tools">
      <Tool name="search" label="Find in this terminal (Ctrl-] f)" press={find} />
      <Tool name="copy" label="Copy what is selected" press={() => (terminal?.copy() === true ? undefined : say(noSelection))} />
      <Tool name="paste" label="Paste" press={() => void paste()} />
      <Tool name="smaller" label="Smaller letters" press={() => resize(-1)} />
      <Tool name="larger" label="Larger letters" press={() => resize(1)} />
      {split === null ? null : (
        <Tool
          name="split"
          label={isSplit ? 'Close the second terminal (Ctrl-] |)' : 'Two terminals beside each other (Ctrl-] |)'}
          press={split}
        />
      )}
      {restart === null ? null : <Tool name="restart" label={`Restart ${container}`} press={restart} />}
    </div>
  )
}
