// Displays progress: one changing line on a terminal, one line per stage elsewhere.

import type { Progress } from '../../engine/engine.ts'
import { cut } from './columns.ts'

export interface Display {
  readonly report: Progress
  /** Leaves the terminal clean for what is printed next. */
  readonly done: () => void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export const createDisplay = (out: NodeJS.WriteStream = process.stderr): Display => {
  if (!out.isTTY) {
    let stage = ''
    return {
      report: (message) => {
        const [subject = message, step = ''] = message.split(/: (?=Step |Unpacking |Setting up )/)
        if (step.startsWith('Unpacking') || step.startsWith('Setting up') || message === stage) return
        stage = message
        out.write(`${subject}${step ? `: ${step.slice(0, 100)}` : ''}\n`)
      },
      done: () => undefined,
    }
  }
  let current = ''
  let frame = 0
  let started = performance.now()
  const draw = () => {
    const seconds = Math.floor((performance.now() - started) / 1000)
    const text = `${frames[frame % frames.length]} ${current} ${seconds > 1 ? `${seconds}s` : ''}`
    out.write(`\r\x1b[K${cut(text, (out.columns ?? 80) - 1)}`)
    frame += 1
  }
  let timer: NodeJS.Timeout | undefined
  return {
    report: (message) => {
      if (message !== current) {
        current = message
        started = performance.now()
      }
      timer ??= setInterval(draw, 100).unref()
      draw()
    },
    done: () => {
      clearInterval(timer)
      timer = undefined
      current = ''
      out.write('\r\x1b[K')
    },
  }
}
