// The terminals that are open. This is the part of the app that is loaded only where a terminal is shown.

import '@xterm/xterm/css/xterm.css'
import { createLiveTerminal, settingOf, type Where } from './live-terminal.ts'
import { setStylesAsProperties } from './strict-styles.ts'
import type { LiveTerminal } from './terminal-port.ts'
import { readFontSize } from './terminal-settings.ts'

const live = new Map<string, LiveTerminal>()

/** The terminal of a container: the one that is open, or a new one. The font is there before its letters are measured. */
export const openTerminal = async (where: Where): Promise<LiveTerminal> => {
  setStylesAsProperties()
  await document.fonts.load(`${readFontSize()}px "JetBrains Mono"`).catch(() => undefined)
  const key = settingOf(where)
  const known = live.get(key)
  if (known !== undefined) return known
  const created = createLiveTerminal(where)
  live.set(key, created)
  return created
}

/** Those of a lab that has ended, when its page is left. */
export const disposeTerminals = (sandboxId: string): void => {
  for (const [key, terminal] of live) {
    if (!key.startsWith(`terminal ${sandboxId} `)) continue
    terminal.dispose()
    live.delete(key)
  }
}
