import { describe, expect, it } from 'vitest'
import { isolatedNetwork, subnets } from './network.ts'

const toNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const byAddress = (a: string, b: string) => toNumber(a.split('/')[0] as string) - toNumber(b.split('/')[0] as string)

describe('subnets', () => {
  it.each([
    ['10.214.240.0/26', '10.214.240.0', 4],
    ['10.213.0.0/24', '10.213.0.0', 16],
    ['10.213.0.0/16', '10.213.0.0', 4096],
    ['192.168.7.16/28', '192.168.7.16', 1],
    ['240.0.0.0/20', '240.0.0.0', 256],
  ])('%s: every /28 once', (pool, first, count) => {
    const expected = Array.from({ length: count }, (_, index) => toNumber(first) + index * 16)
    const found = [...subnets(pool, 'any seed')]
    expect(found.every((subnet) => subnet.endsWith('/28'))).toBe(true)
    expect(found.sort(byAddress).map((subnet) => toNumber(subnet.slice(0, -3)))).toEqual(expected)
  })

  it('an address inside the pool names the same pool', () => {
    expect([...subnets('10.213.5.77/24', 'seed')]).toEqual([...subnets('10.213.5.0/24', 'seed')])
  })

  it('the seed decides where it starts, and only that', () => {
    const order = (seed: string) => [...subnets('10.213.0.0/24', seed)]
    expect(order('one')).toEqual(order('one'))
    const starts = new Set(Array.from({ length: 200 }, (_, index) => order(`seed ${index}`)[0]))
    expect(starts.size).toBe(16)
    const rotated = order('two')
    const start = rotated.indexOf('10.213.0.0/28')
    expect([...rotated.slice(start), ...rotated.slice(0, start)]).toEqual(order('one').sort(byAddress))
  })
})

describe('isolatedNetwork', () => {
  it('has a bridge name that Linux accepts and the firewall knows', () => {
    const name = isolatedNetwork('0123456789abcdef').Options?.['com.docker.network.bridge.name']
    expect(name).toMatch(/^ilab[0-9a-f]{11}$/)
    expect(isolatedNetwork('0123456789abcdeg').Options?.['com.docker.network.bridge.name']).not.toBe(name)
  })
})
