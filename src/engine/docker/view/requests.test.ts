import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExecCreate, parseFilters, parseGrace, parseLogs, parseSignal, parseSize, parseUpdate, Refusal } from './requests.ts'

const query = (text: string) => new URLSearchParams(text)
const statusOf = (work: () => unknown): number => {
  try {
    work()
    return 200
  } catch (error) {
    if (error instanceof Refusal) return error.status
    throw error
  }
}

const authored = { memoryBytes: 64 * 1024 ** 2, cpus: 1, pids: 64 }
const lowered = { memoryBytes: 16 * 1024 ** 2, cpus: 0.1, pids: 20 }
const update = (body: unknown) => parseUpdate(body, authored, lowered)

/** As the docker command sends it when nothing is asked for. */
const emptyUpdate = {
  ...{ CpuShares: 0, Memory: 0, NanoCpus: 0, CgroupParent: '', BlkioWeight: 0, BlkioWeightDevice: null, BlkioDeviceReadBps: null },
  ...{ CpuPeriod: 0, CpuQuota: 0, CpusetCpus: '', CpusetMems: '', Devices: null, DeviceCgroupRules: null, KernelMemory: 0 },
  ...{ MemorySwap: 0, MemorySwappiness: null, OomKillDisable: null, PidsLimit: null, Ulimits: null, IOMaximumIOps: 0 },
  RestartPolicy: { Name: '', MaximumRetryCount: 0 },
}

describe('a command', () => {
  it('is what is named, and nothing else', () => {
    expect(parseExecCreate({ Cmd: ['id'], Privileged: false, Env: null, ConsoleSize: [0, 0] })).toEqual({
      ...{ Cmd: ['id'], Tty: false, AttachStdin: false, AttachStdout: false, AttachStderr: false, Detach: false },
      ...{ DetachKeys: '', Env: [], User: '', WorkingDir: '' },
    })
  })

  it.each<[unknown, number]>([
    [{ Cmd: ['id'], Privileged: true }, 403],
    [{ Cmd: ['id'], privileged: true }, 403],
    [{ Cmd: ['id'], Privileged: 'false' }, 403],
    [{ Cmd: ['id'], HostConfig: { Binds: ['/:/host'] } }, 403],
    [{ Cmd: ['id'], User: '../root' }, 400],
    [{ Cmd: ['id'], WorkingDir: 'etc' }, 400],
    [{ Cmd: ['i\0d'] }, 400],
    [{ Cmd: [1] }, 400],
    [{}, 400],
    [null, 400],
    ['id', 400],
    [[], 400],
  ])('%j is refused', (body, status) => {
    expect(statusOf(() => parseExecCreate(body))).toBe(status)
  })
})

describe('an update', () => {
  it('of nothing changes nothing', () => {
    expect(update(emptyUpdate)).toEqual({})
  })

  it('sets limits up to the authored ones', () => {
    expect(update({ ...emptyUpdate, Memory: authored.memoryBytes })).toEqual({ memoryBytes: authored.memoryBytes })
    expect(update({ Memory: 32 * 1024 ** 2, MemorySwap: 32 * 1024 ** 2 })).toEqual({ memoryBytes: 32 * 1024 ** 2 })
    expect(update({ MemorySwap: lowered.memoryBytes })).toEqual({})
    expect(update({ NanoCpus: 5e8, PidsLimit: 64 })).toEqual({ cpus: 0.5, pids: 64 })
    expect(update({ CpuQuota: 25_000 })).toEqual({ cpus: 0.25 })
    expect(update({ CpuQuota: 50_000, CpuPeriod: 50_000 })).toEqual({ cpus: 1 })
  })

  it.each<[object, number]>([
    [{ Memory: authored.memoryBytes + 1 }, 403],
    [{ Memory: 1024 }, 403],
    [{ Memory: -1 }, 403],
    [{ Memory: 1e300 }, 400],
    [{ Memory: '32m' }, 400],
    [{ MemorySwap: -1 }, 403],
    [{ Memory: 32 * 1024 ** 2, MemorySwap: 64 * 1024 ** 2 }, 403],
    [{ NanoCpus: 1.1e9 }, 403],
    [{ NanoCpus: 1 }, 403],
    [{ NanoCpus: 5e8, CpuQuota: 1000 }, 400],
    [{ CpuQuota: -1 }, 403],
    [{ CpuQuota: 1000, CpuPeriod: -1 }, 403],
    [{ CpuPeriod: 1000 }, 403],
    [{ PidsLimit: -1 }, 403],
    [{ PidsLimit: 65 }, 403],
    [{ PidsLimit: 1 }, 403],
    [{ OomKillDisable: true }, 403],
    [{ Devices: [{ PathOnHost: '/dev/sda' }] }, 403],
    [{ RestartPolicy: { Name: 'always' } }, 403],
    [{ CpusetCpus: '0' }, 403],
    [{ __proto__: null, Whatever: 1 }, 403],
  ])('%j is refused', (body, status) => {
    expect(statusOf(() => update(body))).toBe(status)
  })

  it('of anything never goes beyond the authored limits', () => {
    const names = ['Memory', 'MemorySwap', 'NanoCpus', 'CpuQuota', 'CpuPeriod', 'PidsLimit', 'CpuShares', 'Devices']
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null))), (body) => {
        let limits: ReturnType<typeof update> = {}
        if (statusOf(() => Object.assign(limits, update(body))) !== 200) limits = {}
        for (const [name, value] of Object.entries(limits)) {
          expect(value).toBeGreaterThan(0)
          expect(value).toBeLessThanOrEqual(authored[name as keyof typeof authored])
        }
      }),
    )
  })
})

describe('a query', () => {
  it('is read as Docker reads it', () => {
    expect(parseLogs(query('stdout=1&follow=true&tail=5&since=1700000000.000000001&details=1'))).toEqual({
      ...{ stdout: true, stderr: false, follow: true, timestamps: false, tail: '5', since: '1700000000.000000001' },
    })
    expect([parseGrace(query(''), 5), parseGrace(query('t=3'), 5), parseGrace(query('t=3600'), 5), parseGrace(query('t=-1'), 5)]).toEqual([
      5, 3, 10, 10,
    ])
    expect([parseSignal(query('')), parseSignal(query('signal=sighup')), parseSignal(query('signal=9'))]).toEqual(['KILL', 'SIGHUP', '9'])
    expect(parseFilters(query('filters={"name":{"web":true},"status":["exited"]}'))).toEqual(
      new Map([
        ['name', ['web']],
        ['status', ['exited']],
      ]),
    )
  })

  it.each([
    () => parseLogs(query('since=yesterday')),
    () => parseLogs(query('tail=1;ls')),
    () => parseGrace(query('t=soon'), 5),
    () => parseSignal(query('signal=KILL;ls')),
    () => parseSize(query('w=0&h=10')),
    () => parseSize(query('w=99999&h=10')),
    () => parseSize(query('w=1e2&h=10')),
    () => parseFilters(query('filters={')),
    () => parseFilters(query('filters={"name":1}')),
    () => parseFilters(query('filters=null')),
  ])('%# of nonsense is refused', (work) => {
    expect(statusOf(work)).toBe(400)
  })
})
