import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layOut, orderOf, type Topology, tracksOf } from './topology-layout.ts'

const service = (name: string, ports: number[] = [80]) => ({ name, role: `role of ${name}`, image: 'x', ports })
const link = (from: string, to: string, port = 80) => ({ from, to, port })
const shop: Topology = {
  services: [service('ops', []), service('db', [5432]), service('web'), service('app', [8000, 9000])],
  links: [link('ops', 'web'), link('web', 'app', 8000), link('app', 'db', 5432)],
  networks: [
    { name: 'edge', services: ['ops', 'web', 'app'] },
    { name: 'data', services: ['app', 'db'] },
  ],
}

describe('the order of machines', () => {
  it('follows the connections, after the workstation', () => {
    expect(orderOf(shop)).toEqual(['ops', 'web', 'app', 'db'])
  })

  it('ends also where connections go in circles', () => {
    const links = [link('a', 'b'), link('b', 'c'), link('c', 'a'), link('a', 'a')]
    const names = orderOf({ services: ['ops', 'a', 'b', 'c'].map((name) => service(name)), links, networks: [] })
    expect(names.toSorted()).toEqual(['a', 'b', 'c', 'ops'])
    expect(names[0]).toBe('ops')
  })
})

describe('tracks', () => {
  it('are shared by what does not meet, and short ones are inside', () => {
    expect(
      tracksOf([
        { top: 0, bottom: 5 },
        { top: 1, bottom: 2 },
        { top: 3, bottom: 4 },
      ]),
    ).toEqual([1, 0, 0])
  })
})

describe('a layout', () => {
  it('has a box for each machine, a lane for each network, a line for each link', () => {
    const { boxes, lanes, lines } = layOut(shop)
    expect(boxes.map(({ name, ports }) => [name, ports])).toEqual([
      ['ops', ''],
      ['web', '80'],
      ['app', '8000, 9000'],
      ['db', '5432'],
    ])
    expect(lanes.map(({ name, stops }) => [name, stops.length])).toEqual([
      ['edge', 3],
      ['data', 2],
    ])
    expect(lines.map(({ from, to, port }) => [from, to, port])).toEqual(shop.links.map(({ from, to, port }) => [[from], to, port]))
  })

  it('has one line for all who connect to the same port', () => {
    const { lines } = layOut({ ...shop, links: [...shop.links, link('web', 'db', 5432), link('ops', 'app', 9000)] })
    expect(lines.map(({ from, to, port, paths }) => [from, to, port, paths.length])).toEqual([
      [['ops'], 'web', 80, 1],
      [['web'], 'app', 8000, 1],
      [['app', 'web'], 'db', 5432, 2],
      [['ops'], 'app', 9000, 1],
    ])
  })

  it('leaves out what names no machine', () => {
    const { lanes, lines } = layOut({ ...shop, links: [link('web', 'ghost')], networks: [{ name: 'void', services: ['ghost'] }] })
    expect([lanes, lines]).toEqual([[], []])
  })

  it('keeps everything inside, apart from each other, whatever the topology', () => {
    const names = ['ops', 'a', 'b', 'c', 'd', 'e']
    const someName = fc.constantFrom(...names)
    const links = fc.array(fc.record({ from: someName, to: someName, port: fc.integer({ min: 1, max: 65535 }) }), { maxLength: 12 })
    const networks = fc.array(fc.record({ name: fc.string(), services: fc.uniqueArray(someName, { minLength: 1 }) }), { maxLength: 4 })
    fc.assert(
      fc.property(links, networks, (someLinks, someNetworks) => {
        const { width, height, boxes, lanes, lines } = layOut({
          services: names.map((name) => service(name)),
          links: someLinks,
          networks: someNetworks,
        })
        for (const [index, box] of boxes.entries()) {
          expect(box.width).toBeGreaterThan(120)
          expect(box.x + box.width).toBeLessThanOrEqual(width)
          expect(box.y + box.height).toBeLessThanOrEqual(height)
          const next = boxes[index + 1]
          if (next !== undefined) expect(next.y).toBeGreaterThan(box.y + box.height)
        }
        for (const { x } of lanes) expect(x).toBeLessThan(boxes[0]?.x ?? 0)
        const tips = lines.map(({ tip }) => `${tip.x} ${tip.y}`)
        expect(new Set(tips).size).toBe(tips.length)
        for (const path of lines.flatMap(({ paths }) => paths))
          for (const [, x] of path.matchAll(/[MHQ](\d+(?:\.\d+)?)/g)) expect(Number(x)).toBeLessThanOrEqual(width)
      }),
    )
  })
})
