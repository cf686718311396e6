// Where everything of a topology is drawn: machines as boxes below each other, networks as lanes on their left, links as lines on their
// right, none of which cross a box or lie on each other. Pure.

import type { CourseDetail } from '../../../src/contract/course.ts'

export type Topology = CourseDetail['topology']

export interface Box {
  readonly name: string
  readonly role: string
  readonly ports: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Lane {
  readonly name: string
  readonly x: number
  readonly top: number
  readonly bottom: number
  /** Where a member is, and how far its box is away. */
  readonly stops: readonly { readonly y: number; readonly boxX: number }[]
}

export interface Line {
  readonly from: string
  readonly to: string
  readonly port: number
  readonly path: string
  /** The tip, at the box that is connected to. */
  readonly tip: { readonly x: number; readonly y: number }
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly lanes: readonly Lane[]
  readonly lines: readonly Line[]
}

const width = 400
const boxHeight = 52
const gap = 14
const laneWidth = 18
const trackWidth = 12
/** Room for the number of a port beside a box. */
const portRoom = 44
const corner = 6
const roof = 22

/** Those who connect come before those that are connected to; circles keep the order of the list. */
export const orderOf = ({ services, links }: Topology): string[] => {
  const names = services.map(({ name }) => name)
  const depth = new Map(names.map((name) => [name, 0]))
  for (let round = 0; round < names.length; round += 1) {
    for (const { from, to } of links) {
      const [source, target] = [depth.get(from), depth.get(to)]
      if (source === undefined || target === undefined || from === to) continue
      if (target <= source && source + 1 < names.length) depth.set(to, source + 1)
    }
  }
  const [workstation] = names
  const rank = (name: string) => (name === workstation ? -1 : (depth.get(name) ?? 0))
  return names.toSorted((a, b) => rank(a) - rank(b) || names.indexOf(a) - names.indexOf(b))
}

interface Span {
  readonly top: number
  readonly bottom: number
}

/** Gives each span the innermost track on which nothing lies; short ones first, so that they stay inside. */
export const tracksOf = (spans: readonly Span[]): number[] => {
  const taken: Span[][] = []
  const tracks = spans.map(() => 0)
  const shortFirst = spans
    .map((span, index) => ({ span, index }))
    .toSorted((a, b) => a.span.bottom - a.span.top - (b.span.bottom - b.span.top))
  for (const { span, index } of shortFirst) {
    let track = 0
    while ((taken[track] ?? []).some((other) => other.top <= span.bottom && span.top <= other.bottom)) track += 1
    const there = taken[track] ?? []
    taken[track] = [...there, span]
    tracks[index] = track
  }
  return tracks
}

const pathOf = (start: { x: number; y: number }, end: { x: number; y: number }, trackX: number): string => {
  const down = end.y > start.y ? 1 : -1
  return [
    `M${start.x} ${start.y}`,
    `H${trackX - corner}`,
    `Q${trackX} ${start.y} ${trackX} ${start.y + corner * down}`,
    `V${end.y - corner * down}`,
    `Q${trackX} ${end.y} ${trackX - corner} ${end.y}`,
    `H${end.x}`,
  ].join(' ')
}

/** The ends of lines at one side of a box, apart from each other. */
const spread = (box: Box, index: number, count: number): number => box.y + (box.height * (index + 1)) / (count + 1)

export const layOut = (topology: Topology): Layout => {
  const order = orderOf(topology)
  const known = new Set(order)
  const links = topology.links.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to)
  const rowOf = (name: string) => order.indexOf(name)
  const spans = links.map(({ from, to }) => ({
    top: Math.min(rowOf(from), rowOf(to)),
    bottom: Math.max(rowOf(from), rowOf(to)),
  }))
  // In halves of rows: a line that ends where another begins shares its track.
  const tracks = tracksOf(spans.map(({ top, bottom }) => ({ top: top + 0.3, bottom: bottom - 0.3 })))
  const trackCount = Math.max(0, ...tracks.map((track) => track + 1))
  const left = 8 + topology.networks.length * laneWidth
  const right = links.length === 0 ? 2 : portRoom + trackCount * trackWidth
  const boxes = order.map((name, row): Box => {
    const service = topology.services.find((other) => other.name === name)
    return {
      name,
      role: service?.role ?? '',
      ports: (service?.ports ?? []).join(', '),
      x: left,
      y: roof + row * (boxHeight + gap),
      width: width - left - right,
      height: boxHeight,
    }
  })
  const boxOf = (name: string) => boxes[rowOf(name)] as Box

  /** Every end of a line, in the order in which they are at the side of their box: first those that go up. */
  const endsAt = (name: string) =>
    links
      .flatMap((link, index) => [
        ...(link.from === name ? [{ index, other: rowOf(link.to) }] : []),
        ...(link.to === name ? [{ index, other: rowOf(link.from) }] : []),
      ])
      .toSorted((a, b) => {
        const [aUp, bUp] = [a.other < rowOf(name), b.other < rowOf(name)]
        if (aUp !== bUp) return aUp ? -1 : 1
        return (tracks[b.index] as number) - (tracks[a.index] as number) === 0
          ? a.index - b.index
          : ((tracks[a.index] as number) - (tracks[b.index] as number)) * (aUp ? 1 : -1)
      })
  const endOf = (name: string, index: number): number => {
    const ends = endsAt(name)
    return spread(
      boxOf(name),
      ends.findIndex((end) => end.index === index),
      ends.length,
    )
  }

  const lines = links.map(({ from, to, port }, index): Line => {
    const [source, target] = [boxOf(from), boxOf(to)]
    const start = { x: source.x + source.width, y: endOf(from, index) }
    const tip = { x: target.x + target.width, y: endOf(to, index) }
    const trackX = width - right + portRoom + (tracks[index] as number) * trackWidth
    return { from, to, port, path: pathOf(start, tip, trackX), tip }
  })

  const lanes = topology.networks.map(({ name, services }, index): Lane => {
    const stops = boxes.filter((box) => services.includes(box.name)).map((box) => ({ y: box.y + box.height / 2, boxX: box.x }))
    const ys = stops.map(({ y }) => y)
    return { name, x: 8 + index * laneWidth, top: Math.min(...ys), bottom: Math.max(...ys), stops }
  })
  return {
    width,
    height: roof + order.length * (boxHeight + gap) - gap + 2,
    boxes,
    lanes: lanes.filter(({ stops }) => stops.length > 0),
    lines,
  }
}
