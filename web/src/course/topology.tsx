// Draws the topology of a course. Its words are also there for those who do not see it.

import { useMemo } from 'preact/hooks'
import { type Box, type Lane, type Layout, type Line, layOut, type Topology } from './topology-layout.ts'

const charWidth = 6.4

const shortened = (text: string, room: number): string => {
  const most = Math.floor(room / charWidth)
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1)).trimEnd()}…`
}

/** In a lab: how each machine is, and what pressing it does. */
export interface LiveMachines {
  readonly states: ReadonlyMap<string, 'running' | 'stopped'>
  readonly open: (name: string) => void
  readonly restart: ((name: string) => void) | null
}

const Machine = ({ box, live }: { readonly box: Box; readonly live: LiveMachines | undefined }) => {
  const state = live?.states.get(box.name)
  const ports = box.ports === '' ? '' : `:${box.ports.replaceAll(', ', ' :')}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is for pointers; the list below it has the buttons
    <g class={live === undefined ? undefined : `topo-live topo-${state ?? 'unknown'}`} onClick={() => live?.open(box.name)}>
      <rect class="topo-box" x={box.x + 0.5} y={box.y + 0.5} width={box.width - 1} height={box.height - 1} rx="6" />
      <text class="topo-name" x={box.x + 12} y={box.y + 22}>
        {shortened(box.name, box.width - 24 - ports.length * 7)}
      </text>
      <text class="topo-ports" x={box.x + box.width - 12} y={box.y + 22} text-anchor="end">
        {ports}
      </text>
      <text class="topo-role" x={box.x + 12} y={box.y + 40}>
        {shortened(box.role, box.width - 20)}
        <title>{box.role}</title>
      </text>
    </g>
  )
}

const Network = ({ lane, index }: { readonly lane: Lane; readonly index: number }) => (
  <g class={`topo-lane topo-lane-${index % 4}`}>
    <path d={`M${lane.x} ${lane.top}V${lane.bottom}`} />
    {lane.stops.map(({ y, boxX }) => (
      <g key={y}>
        <path d={`M${lane.x} ${y}H${boxX}`} />
        <circle cx={lane.x} cy={y} r="3.5" />
      </g>
    ))}
  </g>
)

const Link = ({ line }: { readonly line: Line }) => (
  <g>
    <path class="topo-link" d={line.paths.join(' ')} />
    <path class="topo-tip" d={`M${line.tip.x + 1} ${line.tip.y}l7 -3.5v7z`} />
    <text class="topo-port" x={line.tip.x + 11} y={line.tip.y - 3}>
      {line.port}
    </text>
  </g>
)

const Words = ({ layout }: { readonly layout: Layout }) => (
  <ul class="unseen">
    {layout.boxes.map(({ name, role, ports }) => (
      <li key={name}>{`${name}: ${role}${ports === '' ? '' : `, listens on ${ports}`}`}</li>
    ))}
    {layout.lines.map(({ from, to, port }) => (
      <li key={`${to} ${port}`}>{`${from.join(' and ')} connects to ${to} on port ${port}`}</li>
    ))}
  </ul>
)

/** The same as buttons: reachable by keys, and read aloud. */
const MachineButtons = ({ layout, live }: { readonly layout: Layout; readonly live: LiveMachines }) => (
  <ul class="topo-machines">
    {layout.boxes.map(({ name }) => {
      const state = live.states.get(name)
      return (
        <li key={name}>
          <button type="button" class="link-button mono" aria-label={`Open the terminal of ${name}`} onClick={() => live.open(name)}>
            {name}
          </button>
          <span class={`small topo-word-${state ?? 'unknown'}`}>
            {state === undefined ? 'is not known yet' : state === 'running' ? 'runs' : 'has stopped'}
          </span>
          {live.restart === null ? null : (
            <button type="button" class="link-button small" aria-label={`Restart the machine ${name}`} onClick={() => live.restart?.(name)}>
              restart
            </button>
          )}
        </li>
      )
    })}
  </ul>
)

export const TopologyDrawing = ({ topology, live }: { readonly topology: Topology; readonly live?: LiveMachines }) => {
  const layout = useMemo(() => layOut(topology), [topology])
  return (
    <figure class="topology">
      <svg viewBox={`0 0 ${layout.width} ${layout.height}`} aria-hidden="true" focusable="false">
        {layout.lanes.map((lane, index) => (
          <Network key={lane.name} lane={lane} index={index} />
        ))}
        {layout.lines.map((line) => (
          <Link key={`${line.to} ${line.port}`} line={line} />
        ))}
        {layout.boxes.map((box) => (
          <Machine key={box.name} box={box} live={live} />
        ))}
      </svg>
      <figcaption>
        {layout.lanes.map(({ name }, index) => (
          <span key={name} class={`topo-key topo-lane-${index % 4}`}>
            {`network ${name}`}
          </span>
        ))}
        <span class="topo-key topo-key-link">connects, to this port</span>
      </figcaption>
      <Words layout={layout} />
      {live === undefined ? null : <MachineButtons layout={layout} live={live} />}
    </figure>
  )
}
