// Nothing outside a sandbox can be reached from inside, from every container of a real scenario. isolation-check.test.ts has the
// check that every start of a server runs.

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { engineSideContainer } from '../src/engine/docker/container-options.ts'
import { runContainer } from '../src/engine/docker/follow-command.ts'
import { createImages } from '../src/engine/docker/images.ts'

import type { Engine } from '../src/engine/engine.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes, script as shell } from './contract/fixture.ts'
import { createTestEngine, root } from './support/engine.ts'

// Both scripts are Perl: every Debian image has it.

/** Echoes on the TCP and UDP ports given. */
const listenScript = `
use strict; use warnings; use Socket;
for my $port (@ARGV) {
  for my $type (SOCK_STREAM, SOCK_DGRAM) {
    next if fork;
    socket(my $socket, PF_INET, $type, 0) or die $!;
    setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
    bind($socket, sockaddr_in($port, INADDR_ANY)) or die $!;
    if ($type == SOCK_STREAM) {
      listen($socket, 64) or die $!;
      while (accept(my $peer, $socket)) { syswrite $peer, 'here'; close $peer }
    }
    while (my $from = recv($socket, my $text, 512, 0)) { send($socket, $text, 0, $from) }
    exit;
  }
}
1 while wait > 0;
`

/**
 * Attempts are arguments: tcp/ADDRESS/PORT counts when the connection is made, udp/ADDRESS/PORT when anything comes
 * back (port 53 is asked for a name, others get the attempt itself), name/NAME when it resolves. Prints those that counted.
 */
const reachScript = `
use strict; use warnings; use Socket qw(getaddrinfo SOCK_STREAM SOCK_DGRAM);
my $query = pack('n6', 4660, 256, 1, 0, 0, 0) . "\\7example\\3com\\0" . pack('n2', 1, 1);
sub attempt {
  my $label = shift;
  my ($via, $host, $port) = split m{/}, $label;
  return defined gethostbyname $host if $via eq 'name';
  my $type = $via eq 'tcp' ? SOCK_STREAM : SOCK_DGRAM;
  my ($error, @found) = getaddrinfo($host, $port, { socktype => $type });
  for my $place (@found) {
    socket(my $socket, $place->{family}, $type, 0) or next;
    connect($socket, $place->{addr}) or next;
    return 1 if $via eq 'tcp';
    defined syswrite($socket, $port == 53 ? $query : $label) or next;
    return 1 if sysread $socket, my $answer, 512;
  }
  return 0;
}
my $running = 0;
for my $each (@ARGV) {
  wait if ++$running > 60;
  defined(my $child = fork) or die "fork: $!";
  next if $child;
  alarm 2;
  syswrite STDOUT, "$each\\n" if attempt($each);
  exit;
}
1 while wait > 0;
`

describe('every container of scenario-01', () => {
  const services = ['ops', 'web', 'app', 'db']
  const port = 7077
  const hostPort = 7078
  const { engine, docker, installation, cleanUp } = createTestEngine()
  const open = createTestEngine({ network: () => ({ Internal: false, Options: {} }) })
  const ids = { mine: createId(), neighbour: createId(), open: createId() }
  const tag = randomInt(2 ** 16)
  const [near, far] = [1, 2].map((host) => `198.19.${tag % 256}.${((tag >> 8) & 0xfc) + host}`) as [string, string]
  const arrivals: string[] = []

  const tcp = createServer((connection) => {
    arrivals.push(`tcp from ${connection.remoteAddress}`)
    connection.on('error', () => undefined)
    connection.end('here')
  })
  const udp = createSocket('udp6', (message, peer) => {
    arrivals.push(message.toString())
    udp.send(message, peer.port, peer.address)
  })

  const execIn = (which: Engine, sandbox: string, service: string, source: string, args: readonly string[]) =>
    which.exec({ sandbox, service }, shell('', { argv: ['perl', '-', ...args], stdin: source }))
  const reached = async (which: Engine, sandbox: string, service: string, attempts: readonly string[]) => {
    const result = await execIn(which, sandbox, service, reachScript, attempts)
    expect(result, result.stderr.toString()).toMatchObject({ exitCode: 0 })
    return result.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .sort()
  }
  const both = (address: string, number: number) => [`tcp/${address}/${number}`, `udp/${address}/${number}`]
  const addressesOf = async (sandbox: string) =>
    new Map((await engine.describe(sandbox))?.services.map(({ name, addresses }) => [name, addresses[0] as string]))

  /** Imitates the internet: a container on a link that the host routes to, with echo servers on the given ports. */
  const startOutside = async () => {
    const image = await createImages(docker, join(root, 'images')).referenceOf('probe')
    const marks = { installation, sandbox: createId(), deadline: inMinutes(10) }
    const powers = { NetworkMode: 'none', CapAdd: ['NET_BIND_SERVICE'] }
    const container = await docker.createContainer(
      engineSideContainer(marks, image, ['perl', '-e', listenScript, '53', String(port)], powers),
    )
    await container.start()
    const { Pid } = (await container.inspect()).State
    const link = [
      `ip link add tst${tag} type veth peer name far0 netns ${Pid}`,
      `ip addr add ${near}/30 dev tst${tag}`,
      `ip link set tst${tag} up`,
      `nsenter --net=/proc/${Pid}/ns/net sh -c "ip addr add ${far}/30 dev far0; ip link set far0 up; ip route add default via ${near}"`,
    ].join(' && ')
    const hostSide = { NetworkMode: 'host', PidMode: 'host', CapAdd: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_PTRACE'] }
    const made = await runContainer(docker, engineSideContainer(marks, image, ['sh', '-c', link], hostSide), shell(''))
    expect(made.exitCode, made.stderr.toString()).toBe(0)
  }

  /** Imitates the engine's host: a container in its network namespace. */
  const startHost = async () => {
    const image = await createImages(docker, join(root, 'images')).referenceOf('probe')
    const marks = { installation, sandbox: createId(), deadline: inMinutes(10) }
    const container = await docker.createContainer(
      engineSideContainer(marks, image, ['perl', '-e', listenScript, String(hostPort)], { NetworkMode: 'host' }),
    )
    await container.start()
  }

  beforeAll(async () => {
    const scenario = (await loadCatalog(join(root, 'scenarios'))).find('scenario-01')
    await engine.ensureImages(scenario.images, () => undefined)
    tcp.listen(0, '::')
    udp.bind(0, '::')
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
    const create = (which: Engine, id: string, topology = scenario.instantiate('isolation').topology) =>
      which.create({ id, topology, deadline: inMinutes(10) })
    const starts = [
      create(engine, ids.mine),
      create(engine, ids.neighbour),
      create(open.engine, ids.open, { services: [bareService('ops', { image: 'ops' })], readyTimeoutSeconds: 10 }),
      startOutside(),
      startHost(),
    ]
    await Promise.allSettled(starts)
    await Promise.all(starts)
    const daemon = 'cat > /tmp/listen.pl; setsid perl /tmp/listen.pl "$0" > /dev/null 2>&1 < /dev/null &'
    const listen = (sandbox: string, service: string) =>
      engine.exec({ sandbox, service }, shell('', { argv: ['sh', '-c', daemon, String(port)], stdin: listenScript }))
    await Promise.all([ids.mine, ids.neighbour].flatMap((sandbox) => services.map((service) => listen(sandbox, service))))
  })
  afterAll(async () => {
    await Promise.all([cleanUp(), open.cleanUp()])
    tcp.close()
    udp.close()
  })

  const numberOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port
  const onHost = (version: 'IPv4' | 'IPv6') =>
    Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ family, internal }) => family === version && !internal)
  const hostAttempts = (address: string) => [`tcp/${address}/${numberOf(tcp)}`, `udp/${address}/${numberOf(udp)}`]
  const outsideAttempts = [...both(far, port), ...both(far, 53)]

  it('control: the same attempts succeed from a container on an ordinary network', async () => {
    const attempts = [`tcp/${near}/${hostPort}`, ...outsideAttempts].sort()
    await expect.poll(() => reached(open.engine, ids.open, 'ops', attempts)).toEqual(attempts)
  })

  it('control: this machine answers itself', async () => {
    expect(onHost('IPv4')).not.toEqual([])
    for (const { address } of onHost('IPv4')) {
      const connection = connect(numberOf(tcp), address)
      expect(String((await once(connection, 'data'))[0])).toBe('here')
    }
  })

  it.concurrent.for(services)('%s reaches its own sandbox: TCP, UDP and names', async (service, { expect }) => {
    for (const sandbox of [ids.mine, ids.neighbour]) {
      const own = await addressesOf(sandbox)
      const attempts = services.flatMap((name) => [...both(name, port), ...both(own.get(name) as string, port), `name/${name}`])
      const expected = [...attempts, 'tcp/web/80', 'tcp/db/5432'].sort()
      await expect.poll(() => reached(engine, sandbox, service, expected)).toEqual(expected)
    }
  })

  it('control: what arrives is told', () => {
    expect(arrivals).not.toEqual([])
    arrivals.length = 0
  })

  it.concurrent.for(services)('%s reaches neither the host, nor another sandbox, nor the internet', async (service, { expect }) => {
    const neighbour = await addressesOf(ids.neighbour)
    const gateway = (await addressesOf(ids.mine)).get('ops')?.replace(/\d+$/, (last) => String(Number(last) - 1)) as string
    const interfaces = onHost('IPv6').flatMap(({ address }) => [address, `${address}%eth0`])
    const hosts = [...onHost('IPv4').map(({ address }) => address), ...interfaces, gateway, near]
    const attempts = [
      ...hosts.flatMap(hostAttempts),
      ...[near, gateway, '172.17.0.1'].flatMap((address) => both(address, hostPort)),
      ...services.flatMap((name) => both(neighbour.get(name) as string, port)),
      `tcp/${neighbour.get('web')}/80`,
      `tcp/${neighbour.get('db')}/5432`,
      ...outsideAttempts,
      ...both('1.1.1.1', 53),
      ...both('8.8.8.8', 53),
      'tcp/1.1.1.1/443',
      `name/ops-${ids.neighbour}`,
      'name/example.com',
      'name/debian.org',
    ]
    expect(await reached(engine, ids.mine, service, attempts)).toEqual([])
    expect(arrivals).toEqual([])
  })
})
