// The isolation check of the engine: it passes on our networks, and tells what is open on weaker ones.

import { beforeAll, describe, expect, it } from 'vitest'
import { bridgePrefix, type NetworkShape } from '../src/engine/docker/network.ts'
import type { IsolationFinding } from '../src/engine/engine.ts'
import { createTestEngine } from './support/engine.ts'

const places = ['the host', 'the internet', 'another sandbox', 'this machine']
const controls = [...places.map((place) => `control: ${place} answers where it should`), 'control: outside names resolve where they should']
const bridge = (prefix: string) => (sandbox: string) => ({ 'com.docker.network.bridge.name': `${prefix}${sandbox.slice(0, 11)}` })

describe('the check of the engine', () => {
  const check = async (network?: (sandbox: string) => NetworkShape) => {
    const { engine, cleanUp } = createTestEngine(network === undefined ? {} : { network })
    try {
      return await engine.checkIsolation()
    } finally {
      expect(await engine.list()).toEqual([])
      await cleanUp()
    }
  }
  const failed = async (network: (sandbox: string) => NetworkShape) =>
    (await check(network)).filter(({ passed }) => !passed).map((finding) => finding.check)

  describe('passes beside other checks on the same engine', () => {
    const networks: readonly (((sandbox: string) => NetworkShape) | undefined)[] = [
      undefined,
      undefined,
      (sandbox) => ({ Internal: false, Options: bridge(bridgePrefix)(sandbox) }),
      (sandbox) => ({ Internal: true, Options: bridge(bridgePrefix)(sandbox) }),
    ]
    let found: (readonly IsolationFinding[])[] = []
    beforeAll(async () => {
      found = await Promise.all(networks.map(check))
    })
    const failedOf = (index: number) => found[index]?.filter(({ passed }) => !passed)

    it('on our networks, and every control with it', () => {
      expect(failedOf(0)).toEqual([])
      expect(found[0]?.map((finding) => finding.check).sort()).toEqual(
        [
          ...controls,
          ...places.flatMap((place) => [`${place} is out of reach`, `${place} is out of reach with NET_ADMIN and forced routes`]),
          'outside names do not resolve',
          'control: a command can be traced by its own container',
          'processes that enter a container cannot be taken over by a tracer',
          'no file is opened by its handle',
          'no command starts in a directory outside its container',
          'control: one sandbox holds as many shared kernel resources as it can get',
          'control: a command that timed out is killed',
          'forged process names do not lead to the kill of other processes',
          'one sandbox cannot exhaust kernel resources that all share',
        ].sort(),
      )
    })

    it('and so does another one on such networks', () => {
      expect(failedOf(1)).toEqual([])
    })

    it('on an ordinary network as long as the firewall knows its bridge', () => {
      expect(failedOf(2)).toEqual([])
    })

    it('where the bridge has an address, as long as the firewall knows it', () => {
      expect(failedOf(3)).toEqual([])
    })
  })

  /** Docker connects ordinary networks to each other for a moment whenever a network is created: ignored here. */
  const failedOutward = async (network: (sandbox: string) => NetworkShape) =>
    (await failed(network)).filter((name) => !name.startsWith('another sandbox'))

  it('fails for the host and the internet on an ordinary network', async () => {
    expect(await failedOutward(() => ({ Internal: false, Options: {} }))).toEqual([
      'the host is out of reach',
      'the host is out of reach with NET_ADMIN and forced routes',
      'the internet is out of reach',
      'the internet is out of reach with NET_ADMIN and forced routes',
    ])
  })

  it('fails for the host on a network that is internal only', async () => {
    expect(await failed(() => ({ Internal: true, Options: {} }))).toEqual([
      'the host is out of reach',
      'the host is out of reach with NET_ADMIN and forced routes',
    ])
  })

  it('fails for the host, by force, where the firewall does not know the bridge', async () => {
    const options = { 'com.docker.network.bridge.inhibit_ipv4': 'true' }
    expect(await failed((sandbox) => ({ Internal: true, Options: { ...options, ...bridge('xtst')(sandbox) } }))).toEqual([
      'the host is out of reach with NET_ADMIN and forced routes',
    ])
  })
})
