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

/** All links to one port of one machine: they share a line, and its tip. */
export interface Line {
  readonly to: string
  readonly port: number
  readonly from: readonly string[]
  readonly paths: readonly string[]
  /** At the box that is connected to. */
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
const top = 2

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

interface Bus {
  readonly to: string
  readonly port: number
  readonly from: readonly string[]
}

/** The links by where they lead to; those that name no machine are left out. */
const busesOf = ({ links }: Topology, known: ReadonlySet<string>): Bus[] => {
  const drawn = links.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to)
  const groups = Map.groupBy(drawn, ({ to, port }) => `${port} ${to}`)
  return [...groups.values()].map((group) => {
    const { to, port } = group[0] as Topology['links'][number]
    return { to, port, from: [...new Set(group.map(({ from }) => from))] }
  })
}

/** In which order lines leave and reach the side of a box, so that they cross as little as can be: up first, the outer ones outside. */
const endsAt = (row: number, buses: readonly Bus[], rowOf: (name: string) => number, tracks: readonly number[]): number[] => {
  const goesUp = (bus: Bus) => (rowOf(bus.to) === row ? Math.max(...bus.from.map(rowOf)) < row : rowOf(bus.to) < row)
  const order = (index: number) => {
    const track = tracks[index] as number
    return goesUp(buses[index] as Bus) ? track - 1_000 : 1_000 - track
  }
  const here = buses.flatMap((bus, index) => ([bus.to, ...bus.from].some((name) => rowOf(name) === row) ? [index] : []))
  return here.toSorted((a, b) => order(a) - order(b))
}

export const layOut = (topology: Topology): Layout => {
  const order = orderOf(topology)
  const rowOf = (name: string) => order.indexOf(name)
  const buses = busesOf(topology, new Set(order))
  const rowsOf = ({ to, from }: Bus) => [to, ...from].map(rowOf)
  // A little shorter than they are: a line that ends where another begins may share its track.
  const tracks = tracksOf(buses.map((bus) => ({ top: Math.min(...rowsOf(bus)) + 0.3, bottom: Math.max(...rowsOf(bus)) - 0.3 })))
  const trackCount = Math.max(0, ...tracks.map((track) => track + 1))
  const left = 8 + topology.networks.length * laneWidth
  const right = buses.length === 0 ? 2 : portRoom + trackCount * trackWidth
  const boxes = order.map((name, row): Box => {
    const service = topology.services.find((other) => other.name === name)
    const { role = '', ports = [] } = service ?? {}
    const y = top + row * (boxHeight + gap)
    return { name, role, ports: ports.join(', '), x: left, y, width: width - left - right, height: boxHeight }
  })
  const boxOf = (name: string) => boxes[rowOf(name)] as Box
  const pointAt = (name: string, bus: number) => {
    const { x, y, width: wide, height } = boxOf(name)
    const ends = endsAt(rowOf(name), buses, rowOf, tracks)
    return { x: x + wide, y: y + (height * (ends.indexOf(bus) + 1)) / (ends.length + 1) }
  }

  const lines = buses.map(({ to, port, from }, index): Line => {
    const tip = pointAt(to, index)
    const trackX = width - right + portRoom + (tracks[index] as number) * trackWidth
    return { to, port, from, tip, paths: from.map((name) => pathOf(pointAt(name, index), tip, trackX)) }
  })

  const lanes = topology.networks.map(({ name, services }, index): Lane => {
    const stops = boxes.filter((box) => services.includes(box.name)).map((box) => ({ y: box.y + box.height / 2, boxX: box.x }))
    const ys = stops.map(({ y }) => y)
    return { name, x: 8 + index * laneWidth, top: Math.min(...ys), bottom: Math.max(...ys), stops }
  })
  const height = top + order.length * (boxHeight + gap) - gap + 2
  return { width, height, boxes, lanes: lanes.filter(({ stops }) => stops.length > 0), lines }
}
