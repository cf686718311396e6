// Plays a recording: where it is, how fast it goes, and what is on its screen.

import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Cast } from './cast.ts'
import type { ReplayScreen } from './replay-screen.ts'
import { advance, happenedBy, type Speed, speeds } from './timeline.ts'

export interface Player {
  readonly position: number
  readonly isPlaying: boolean
  readonly speed: Speed
  readonly skipsPauses: boolean
  /** Its screen is there, as high as it will be. */
  readonly isOpen: boolean
  readonly isMissing: boolean
  readonly toggle: () => void
  readonly seek: (to: number) => void
  readonly setSpeed: (speed: Speed) => void
  readonly faster: (by: 1 | -1) => void
  readonly setSkipsPauses: (skips: boolean) => void
}

export const usePlayer = (cast: Cast, place: RefObject<HTMLDivElement | null>): Player => {
  const [position, setPosition] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const [skipsPauses, setSkipsPauses] = useState(true)
  const [isOpen, setOpen] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const screen = useRef<ReplayScreen | null>(null)
  const now = useRef(0)
  now.current = position
  /** Until it is played, the screen shows how the recording ends: an empty one would tell nothing. */
  const hasBegun = useRef(false)

  const seek = useCallback(
    (to: number) => {
      const target = Math.max(0, Math.min(cast.seconds, to))
      now.current = target
      hasBegun.current = true
      setPosition(target)
      screen.current?.show(happenedBy(cast.events, target))
    },
    [cast],
  )

  useEffect(() => {
    let isLeft = false
    let observer: ResizeObserver | undefined
    const open = async () => {
      const { openReplayScreen } = await import('./replay-screen.ts')
      if (isLeft || place.current === null) return
      const opened = await openReplayScreen(place.current, cast)
      if (isLeft) return opened.dispose()
      screen.current = opened
      setOpen(true)
      observer = new ResizeObserver(opened.fit)
      observer.observe(place.current)
      opened.show(hasBegun.current ? happenedBy(cast.events, now.current) : cast.events.length)
    }
    open().catch(() => setMissing(true))
    return () => {
      isLeft = true
      observer?.disconnect()
      screen.current?.dispose()
      screen.current = null
    }
  }, [cast, place])

  useEffect(() => {
    if (!isPlaying) return
    let last = performance.now()
    let frame = requestAnimationFrame(function next(time) {
      const to = advance(cast, now.current, Math.max(0, time - last) / 1000, { speed, skipsPauses })
      last = time
      seek(to)
      if (to >= cast.seconds) setPlaying(false)
      else frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, cast, speed, skipsPauses, seek])

  return {
    ...{ position, isPlaying, speed, skipsPauses, isOpen, isMissing, seek, setSpeed, setSkipsPauses },
    /** At the end, it begins anew. */
    toggle: () => {
      if (!isPlaying && now.current >= cast.seconds) seek(0)
      setPlaying(!isPlaying)
    },
    faster: (by) => setSpeed(speeds[speeds.indexOf(speed) + by] ?? speed),
  }
}
