// A terminal on the screen, with its connection. It outlives the page that shows it: whoever comes back finds it as it was.

import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Terminal } from '@xterm/xterm'
import { readSetting, writeSetting } from '../../browser-settings.ts'
import { dropHarmfulSequences, leaveQuestions } from './harmless-sequences.ts'
import { createLink } from './link.ts'
import type { LinkOptions, LinkState } from './link-state.ts'
import { currentPalette, watchPalette } from './palette.ts'
import { createPrefixKeys } from './prefix-keys.ts'
import { withoutStyleElements } from './strict-styles.ts'
import type { LiveTerminal, TerminalEvents } from './terminal-port.ts'
import { readFontSize } from './terminal-settings.ts'

const fontFamily = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, monospace'
const scrollbackLines = 10_000
const newShellLine = '\r\n\x1b[0;90m── The shell that was here has ended. This is a new one. ──\x1b[0m\r\n'

const isCopyKey = ({ type, ctrlKey, shiftKey, code }: KeyboardEvent) => type === 'keydown' && ctrlKey && shiftKey && code === 'KeyC'

/** On an address without https a browser has no clipboard for pages; xterm.js answers the copy event of the old way. */
const copySelection = (terminal: Terminal): void => {
  if (!terminal.hasSelection()) return
  if (navigator.clipboard === undefined) document.execCommand('copy')
  else navigator.clipboard.writeText(terminal.getSelection()).catch(() => document.execCommand('copy'))
}

export interface Where {
  readonly sandboxId: string
  readonly credential: LinkOptions['credential']
  readonly container: string
  /** The shell of the owner that a guest follows. */
  readonly follows?: { readonly terminalId: string; readonly mayType: boolean } | undefined
}

/** Under which the browser keeps the name of its shell. */
export const settingOf = ({ sandboxId, container, follows }: Omit<Where, 'credential'>) =>
  `terminal ${sandboxId} ${container}${follows === undefined ? '' : ` ${follows.terminalId}`}`

export const createLiveTerminal = (where: Where): LiveTerminal => {
  const { follows } = where
  const element = document.createElement('div')
  element.className = 'terminal-host'
  const terminal = new Terminal({
    ...{ fontFamily, fontSize: readFontSize(), lineHeight: 1.2, scrollback: scrollbackLines, theme: currentPalette() },
    ...{ minimumContrastRatio: 4.5, cursorBlink: false, macOptionIsMeta: true },
  })
  terminal.options.disableStdin = follows?.mayType === false
  dropHarmfulSequences(terminal)
  if (follows !== undefined) leaveQuestions(terminal)
  const fitting = new FitAddon()
  const search = new SearchAddon()
  terminal.loadAddon(fitting)
  terminal.loadAddon(search)
  let events: TerminalEvents | null = null
  let state: LinkState = { kind: 'opening' }
  let isOpened = false
  let isEnded = false
  /** Programs ask terminals questions. Those of an old output were answered then, and an answer now would be typed into the shell. */
  let isReplaying = false
  let isRestarting = false

  const link = createLink({
    ...{ credential: where.credential, container: where.container, isFollower: follows !== undefined },
    remembered: follows?.terminalId ?? readSetting(settingOf(where)),
    resized: ({ columns, rows }) => terminal.resize(columns, rows),
    skipped: () => terminal.reset(),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    remember: (terminalId) => {
      if (follows === undefined) writeSetting(settingOf(where), terminalId)
    },
    output: (bytes, isReplay) => {
      isReplaying ||= isReplay
      terminal.write(bytes, () => {
        if (isReplay) isReplaying = false
      })
    },
    tell: (next) => {
      state = next
      events?.changed(next)
    },
    warn: (text) => events?.warned(text),
    newShell: () => terminal.write(newShellLine),
    isRestarting: () => isRestarting,
    hasKeys: () => terminal.textarea !== undefined && document.activeElement === terminal.textarea,
  })

  const encoder = new TextEncoder()
  const keys = createPrefixKeys({
    shell: (keystrokes) => link.send(encoder.encode(keystrokes)),
    command: (key) => events?.command(key),
    waiting: (isWaiting) => events?.waiting(isWaiting),
  })
  terminal.onData((data) => {
    if (!isReplaying && follows?.mayType !== false) keys(data)
  })
  terminal.onBinary((data) => {
    if (follows?.mayType !== false) link.send(Uint8Array.from(data, (unit) => unit.charCodeAt(0)))
  })
  terminal.onResize(() => link.resize())
  terminal.attachCustomKeyEventHandler((event) => {
    if (!isCopyKey(event)) return !isEnded // then they are the page's
    event.preventDefault()
    copySelection(terminal)
    return false
  })
  const stopWatching = watchPalette(() => {
    terminal.options.theme = currentPalette()
    element.style.backgroundColor = terminal.options.theme.background ?? ''
  })
  element.style.backgroundColor = terminal.options.theme?.background ?? ''
  addEventListener('offline', link.drop)
  addEventListener('online', link.hurry)

  /** A pane that is not shown has no size. */
  const fit = () => {
    if (follows === undefined && element.clientWidth > 0 && element.clientHeight > 0) fitting.fit()
  }

  return {
    state: () => state,
    attach: (place, told) => {
      events = told
      place.append(element)
      if (!isOpened) {
        isOpened = true
        withoutStyleElements(() => terminal.open(element))
        terminal.textarea?.setAttribute('aria-label', `Terminal of ${where.container}. Ctrl-] and then q leaves it.`)
        terminal.textarea?.addEventListener('focus', () => link.sayKeys())
        fit()
        link.connect()
      } else fit()
    },
    detach: () => {
      events = null
      element.remove()
    },
    fit,
    focus: () => terminal.focus(),
    find: (text, direction) => {
      const isFound = direction === 'next' ? search.findNext(text) : search.findPrevious(text)
      if (text === '') terminal.clearSelection()
      return isFound
    },
    copy: () => {
      terminal.focus()
      copySelection(terminal)
      return terminal.hasSelection()
    },
    paste: (text) => {
      terminal.focus()
      terminal.paste(text)
    },
    press: (data) => {
      terminal.focus()
      const isArrow = data.length === 3 && data.startsWith('\x1b[')
      terminal.input(isArrow && terminal.modes.applicationCursorKeysMode ? `\x1bO${data[2]}` : data)
    },
    setFontSize: (size) => {
      terminal.options.fontSize = size
      fit()
    },
    expectRestart: (isExpected) => {
      isRestarting = isExpected
    },
    reconnect: () => link.connect(),
    end: () => {
      link.close()
      if (follows === undefined) writeSetting(settingOf(where), null)
      isEnded = true
      terminal.options.disableStdin = true
    },
    dispose: () => {
      stopWatching()
      removeEventListener('offline', link.drop)
      removeEventListener('online', link.hurry)
      link.close()
      terminal.dispose()
      element.remove()
    },
  }
}
