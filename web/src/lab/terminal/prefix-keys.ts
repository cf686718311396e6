// Splits what a terminal was given to type into keystrokes for the shell and commands that begin with Ctrl-], as `./lab drill` does.
// Ctrl-] twice sends one to the shell. Pure.

export const prefix = '\x1d'
const escapeKey = '\x1b'

export interface KeyEvents {
  readonly shell: (keystrokes: string) => void
  readonly command: (key: string) => void
  /** Ctrl-] was pressed and the next key selects a command, or that is over. */
  readonly waiting: (isWaiting: boolean) => void
}

export const createPrefixKeys = ({ shell, command, waiting }: KeyEvents) => {
  let isWaiting = false
  const setWaiting = (value: boolean) => {
    isWaiting = value
    waiting(value)
  }
  return (data: string): void => {
    let rest = data
    while (rest !== '') {
      if (isWaiting) {
        const [key = ''] = rest
        setWaiting(false)
        if (key === escapeKey) return // an arrow or function key, or a change of mind
        rest = rest.slice(key.length)
        if (key === prefix) shell(prefix)
        else command(key)
        continue
      }
      const at = rest.indexOf(prefix)
      const keystrokes = at === -1 ? rest : rest.slice(0, at)
      if (keystrokes !== '') shell(keystrokes)
      if (at === -1) return
      setWaiting(true)
      rest = rest.slice(at + 1)
    }
  }
}
