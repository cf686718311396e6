// The player of one recording: its screen, its controls and what one can jump to.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Recording } from '../../../src/contract/recording.ts'
import { areOn } from '../keys.tsx'
import { Glyph } from '../ui/icons.tsx'
import { Loading } from '../ui/states.tsx'
import type { Cast } from './cast.ts'
import { clock, speeds, stopFrom } from './timeline.ts'
import { usePlayer } from './use-player.ts'
import { stopWords, useStops } from './use-stops.ts'

const jumpSeconds = 5
/** Whether what has the focus means this key itself: a button its Space, a list and the slider their arrows. */
const hasOwnUse = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false
  if (['SELECT', 'TEXTAREA'].includes(target.tagName)) return true
  if (target instanceof HTMLInputElement) return target.type === 'checkbox' ? key === ' ' : key !== ' '
  return key === ' ' && ['BUTTON', 'A', 'SUMMARY'].includes(target.tagName)
}

interface PlayerProps {
  readonly cast: Cast
  readonly recording: Recording
  readonly text: string
  readonly fileName: string
}

export const Player = ({ cast, recording, text, fileName }: PlayerProps) => {
  const place = useRef<HTMLDivElement>(null)
  const player = usePlayer(cast, place)
  const found = useStops(cast)
  const stops = found?.stops ?? []
  const { position, isPlaying, seek } = player
  const jump = (direction: 1 | -1) => {
    const stop = stopFrom(stops, position, direction)
    if (stop !== undefined) seek(stop.at)
    else if (direction === -1) seek(0)
  }
  const keys: Readonly<Record<string, () => void>> = {
    ' ': player.toggle,
    ArrowRight: () => seek(position + jumpSeconds),
    ArrowLeft: () => seek(position - jumpSeconds),
    Home: () => seek(0),
    End: () => seek(cast.seconds),
    n: () => jump(1),
    p: () => jump(-1),
    '>': () => player.faster(1),
    '<': () => player.faster(-1),
  }
  const pressed = useRef(keys)
  pressed.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (hasOwnUse(event.target, event.key)) return
      if (!Object.hasOwn(pressed.current, event.key) || (/^[np<>]$/.test(event.key) && !areOn())) return
      event.preventDefault()
      pressed.current[event.key]?.()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const [file, setFile] = useState<string | null>(null)
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: 'application/x-asciicast' }))
    setFile(url)
    return () => URL.revokeObjectURL(url)
  }, [text])
  const current = stops.findLast(({ at }) => at <= position + 0.01)

  return (
    <>
      {cast.problem === null ? null : (
        <p class="notice notice-broken" role="status">
          {cast.problem}
        </p>
      )}
      {player.isMissing ? (
        <p class="state" role="alert">
          The player could not be loaded. Load the page again.
        </p>
      ) : null}
      <section class="replay-screen" aria-label={`The screen of ${recording.container ?? 'the commands'}`}>
        <div class="replay-place" ref={place} />
      </section>
      {player.isOpen || player.isMissing ? (
        <>
          <div class="replay-controls">
            <button type="button" class="button button-primary replay-play" title="Space" onClick={player.toggle}>
              <Glyph name={isPlaying ? 'pause' : 'play'} size={18} />
              {isPlaying ? 'Pause' : 'Play'}
            </button>
            <input
              class="replay-slider"
              type="range"
              min="0"
              max={Math.ceil(cast.seconds * 10) / 10} // a multiple of the step, so that the end can be reached
              step="0.1"
              value={position}
              aria-label="Position"
              aria-valuetext={`${clock(position)} of ${clock(cast.seconds)}`}
              onInput={(event) => seek(Number(event.currentTarget.value))}
            />
            <span class="replay-time mono">{`${clock(position)} / ${clock(cast.seconds)}`}</span>
          </div>
          <div class="replay-controls">
            <label class="replay-option">
              Speed
              <select
                value={String(player.speed)}
                onChange={(event) => player.setSpeed(speeds.find((speed) => String(speed) === event.currentTarget.value) ?? 1)}
              >
                {speeds.map((speed) => (
                  <option key={speed} value={String(speed)}>{`${speed}×`}</option>
                ))}
              </select>
            </label>
            <label class="check replay-option">
              <input type="checkbox" checked={player.skipsPauses} onChange={() => player.setSkipsPauses(!player.skipsPauses)} />
              <span>Skip pauses</span>
            </label>
            <button type="button" class="button button-small" title="p" disabled={stops.length === 0} onClick={() => jump(-1)}>
              Previous
            </button>
            <button type="button" class="button button-small" title="n" disabled={stops.length === 0} onClick={() => jump(1)}>
              Next
            </button>
            {file === null ? null : (
              <a class="button button-small" href={file} download={fileName}>
                Download as asciicast
              </a>
            )}
          </div>
          <details class="replay-keys">
            <summary>Keys</summary>
            <p>
              <kbd>Space</kbd> plays and pauses, <kbd>←</kbd> and <kbd>→</kbd> go 5 seconds, <kbd>p</kbd> and <kbd>n</kbd> to the previous
              and next command, <kbd>&lt;</kbd> and <kbd>&gt;</kbd> change the speed, <kbd>Home</kbd> and <kbd>End</kbd> go to the ends.
            </p>
          </details>
          <section aria-labelledby="replay-stops">
            <h2 id="replay-stops">{found === null ? 'Commands' : stopWords[found.kind]}</h2>
            {found === null ? (
              <p class="muted">Reading the recording …</p>
            ) : stops.length === 0 ? (
              <p class="muted">There are none.</p>
            ) : null}
            <ol class="replay-stops">
              {stops.map((stop) => (
                <li key={`${stop.at} ${stop.label}`}>
                  <button type="button" aria-current={stop === current ? 'step' : undefined} onClick={() => seek(stop.at)}>
                    <span class="mono muted replay-at">{clock(stop.at)}</span>
                    <code>{stop.label}</code>
                  </button>
                </li>
              ))}
            </ol>
          </section>
        </>
      ) : (
        <Loading what="the screen" />
      )}
    </>
  )
}
