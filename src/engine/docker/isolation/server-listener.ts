// This machine as a target of the isolation check: a listener in the server's network namespace, which may not be the engine's.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Generous: a listener of our own answers immediately, unless the machine is busy. */
const patienceMs = 10_000

export const listenOnServer = async () => {
  const arrivals: string[] = []
  const take = (via: string, said: Buffer) => arrivals.push(`{"via": "${via}", "nonce": "${said.toString('latin1').slice(0, 512)}"}`)
  const tcp = createServer((connection) => {
    connection.setTimeout(patienceMs, () => connection.destroy())
    connection.on('error', () => undefined)
    connection.once('data', (said) => {
      take('tcp', said)
      connection.end(said)
    })
  })
  const udp = createSocket('udp4', (said, peer) => {
    take('udp', said)
    udp.send(said, peer.port, peer.address, () => undefined)
  })
  tcp.listen(0, '0.0.0.0')
  udp.bind(0, '0.0.0.0')
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  const port = (tcp.address() as AddressInfo).port

  /** Whether an address of this machine answers this machine. */
  const answers = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      const connection = connect({ host: address, port, timeout: patienceMs }, () => connection.write('control'))
      const settle = (answered: boolean) => {
        connection.destroy()
        resolve(answered)
      }
      connection.once('data', () => settle(true))
      connection.once('error', () => settle(false)).once('timeout', () => settle(false))
    })

  return {
    listener: { addresses, tcp: port, udp: udp.address().port },
    arrivals: () => arrivals.join('\n'),
    /** How many of its addresses answer. */
    control: async () => (await Promise.all(addresses.map(answers))).filter(Boolean).length,
    close: () => {
      tcp.close()
      udp.close()
    },
  }
}
