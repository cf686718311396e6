// Splits keyboard input into keystrokes for the shell and commands that start with Ctrl-]. Ctrl-] twice sends one to the shell.

export const prefix = 0x1d
const escapeKey = 0x1b

export interface KeyEvents {
  readonly shell: (keystrokes: Buffer) => void
  readonly command: (key: string) => void
  /** Called when Ctrl-] was pressed and the next key selects a command, and when that is over. */
  readonly waiting: (isWaiting: boolean) => void
}

export const createKeys = ({ shell, command, waiting }: KeyEvents) => {
  let isWaiting = false
  const setWaiting = (value: boolean) => {
    isWaiting = value
    waiting(value)
  }
  return (chunk: Buffer): void => {
    let rest = chunk
    while (rest.length > 0) {
      if (isWaiting) {
        const key = rest[0] as number
        setWaiting(false)
        if (key === escapeKey) return // an arrow or function key, or a change of mind
        rest = rest.subarray(1)
        if (key === prefix) shell(Buffer.of(prefix))
        else command(String.fromCharCode(key))
        continue
      }
      const at = rest.indexOf(prefix)
      const keystrokes = at === -1 ? rest : rest.subarray(0, at)
      if (keystrokes.length > 0) shell(keystrokes)
      if (at === -1) return
      setWaiting(true)
      rest = rest.subarray(at + 1)
    }
  }
}
