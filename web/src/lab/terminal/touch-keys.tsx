// Keys that a keyboard on a screen lacks. Shown where there is no other keyboard.

import type { LiveTerminal } from './terminal-port.ts'

/** What is sent, what the button says, and its name where that is a sign. In the order of their use. */
const touchKeys: readonly (readonly [string, string, string?])[] = [
  ['\t', 'Tab'],
  ['\x03', 'Ctrl-C'],
  ['\x1b', 'Esc'],
  ['\x1b[A', '↑', 'Up'],
  ['\x1b[B', '↓', 'Down'],
  ['\x1b[D', '←', 'Left'],
  ['\x1b[C', '→', 'Right'],
  ['\x04', 'Ctrl-D'],
  ['\x1d', 'Ctrl-]'],
]

export const TouchKeys = ({ terminal }: { readonly terminal: LiveTerminal }) => (
  <div class="touch-keys" role="toolbar" aria-label="Keys">
    {touchKeys.map(([data, text, name]) => (
      <button
        key={text}
        type="button"
        class="button button-small mono"
        aria-label={name}
        onPointerDown={(event) => event.preventDefault()} // the terminal keeps the focus, and the keyboard stays
        onClick={() => terminal.press(data)}
      >
        {text}
      </button>
    ))}
  </div>
)
