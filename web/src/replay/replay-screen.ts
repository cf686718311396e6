// The screen of a replay. It only shows: nothing is typed into it, and what was printed does nothing to the page. Seeking back shows the
// recording anew from its beginning, since a terminal cannot go back.

import '@xterm/xterm/css/xterm.css'
import { Terminal } from '@xterm/xterm'
import { dropHarmfulSequences } from '../lab/terminal/harmless-sequences.ts'
import { currentPalette, watchPalette } from '../lab/terminal/palette.ts'
import { setStylesAsProperties, withoutStyleElements } from '../lab/terminal/strict-styles.ts'
import { type Cast, type CastEvent, readSize, type Size } from './cast.ts'

const fontFamily = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, monospace'
/** Of a letter, in the size of the font. */
const letterWidth = 0.6
const smallest = 8
const largest = 15
const chunkCharacters = 256 * 1024
const scrollbackLines = 2_000

export interface ReplayScreen {
  /** Shows what the first so many events have printed. */
  show(count: number): void
  fit(): void
  dispose(): void
}

/** Events as few writes and the changes of size between them. */
const partsOf = function* (events: readonly CastEvent[]): Generator<string | Size> {
  let text = ''
  for (const { kind, text: data } of events) {
    const size = kind === 'resize' ? readSize(data) : null
    if (kind === 'output') text += data
    if (text !== '' && (size !== null || text.length >= chunkCharacters)) {
      yield text
      text = ''
    }
    if (size !== null) yield size
  }
  if (text !== '') yield text
}

export const openReplayScreen = async (place: HTMLElement, cast: Cast): Promise<ReplayScreen> => {
  setStylesAsProperties()
  await document.fonts.load(`${largest}px "JetBrains Mono"`).catch(() => undefined)
  const terminal = new Terminal({
    ...{ cols: cast.columns, rows: cast.rows, fontFamily, fontSize: largest, lineHeight: 1.2, scrollback: scrollbackLines },
    ...{ theme: currentPalette(), minimumContrastRatio: 4.5, cursorBlink: false, disableStdin: true },
  })
  dropHarmfulSequences(terminal)
  terminal.attachCustomKeyEventHandler(() => false) // keys are the player's
  let isClosed = false
  let shown = 0
  let wanted = 0
  let isWriting = false

  const fit = () => {
    const size = Math.floor(place.clientWidth / (terminal.cols * letterWidth))
    terminal.options.fontSize = Math.max(smallest, Math.min(largest, size))
  }
  const resize = ({ columns, rows }: Size) => {
    terminal.resize(columns, rows)
    fit()
  }
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  const catchUp = async () => {
    if (isWriting) return
    isWriting = true
    while (shown !== wanted && !isClosed) {
      const target = wanted
      if (target < shown) {
        terminal.reset()
        resize(cast)
        shown = 0
      }
      for (const part of partsOf(cast.events.slice(shown, target))) {
        if (typeof part === 'string') await write(part)
        else resize(part)
        if (isClosed) return
      }
      shown = target
    }
    isWriting = false
    place.dataset['shown'] = String(shown)
  }

  withoutStyleElements(() => terminal.open(place))
  terminal.textarea?.setAttribute('tabindex', '-1')
  terminal.textarea?.setAttribute('aria-label', 'The screen of the recording')
  fit()
  const stopWatching = watchPalette(() => {
    terminal.options.theme = currentPalette()
  })
  return {
    show: (count) => {
      wanted = count
      void catchUp()
    },
    fit,
    dispose: () => {
      isClosed = true
      stopWatching()
      terminal.dispose()
      place.replaceChildren()
    },
  }
}
