import { describe, expect, it } from 'vitest'
import { isLabError, LabError } from '../../errors.ts'
import { answers, call, connectDocker, ignoreMissing, translate } from './connection.ts'

const answer = (statusCode: number, message: string) => Object.assign(new Error(`(HTTP code ${statusCode}) ${message}`), { statusCode })
const broken = (code: string) => Object.assign(new Error(`connect ${code}`), { code })
const codeOf = (error: unknown) => (isLabError(error) ? error.code : undefined)

describe('translate', () => {
  it.each(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'EACCES', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])(
    '%s: the engine does not answer',
    (code) => {
      const error = translate(broken(code))
      expect(codeOf(error)).toBe('engine_unavailable')
      expect((error as LabError).retryAfterSeconds).toBeGreaterThan(0)
      expect((error as LabError).hint).toBeTruthy()
    },
  )

  it('a call that is cut off: the engine does not answer', () => {
    expect(codeOf(translate(new Error('socket hang up')))).toBe('engine_unavailable')
  })

  it('404: not found', () => {
    expect(codeOf(translate(answer(404, 'no such container - No such container: x')))).toBe('not_found')
  })

  it.each([
    [409, 'Container 12ab is not running'],
    [409, 'unexpected - Container 12ab is paused, unpause the container before exec'],
    [409, 'Container 12ab is restarting, wait until the container is running'],
    [409, 'cannot join PID of a non running container: 12ab'],
    [500, 'server error - container 12ab is not running'],
    [500, 'container not running - cannot resize a stopped container: unknown'],
  ])('%i %s: not running', (status, message) => {
    expect(codeOf(translate(answer(status, message)))).toBe('container_not_running')
  })

  it.each([
    answer(409, 'Conflict. The container name "/x" is already in use'),
    answer(500, 'server error - no space left on device'),
    answer(403, 'Pool overlaps with other one on this address space'),
    new Error('anything else'),
    broken('EMFILE'),
  ])('%s: stays as it is', (error) => {
    expect(translate(error)).toBe(error)
  })

  it('an error of ours stays as it is', () => {
    const error = new LabError('sandbox_start_failed', 'no')
    expect(translate(error)).toBe(error)
  })

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('%s becomes an error', (thrown, message) => {
    expect(translate(thrown)).toBeInstanceOf(Error)
    expect(translate(thrown).message).toBe(message)
  })

  it('keeps the cause', () => {
    const cause = answer(404, 'no such network')
    expect(translate(cause).cause).toBe(cause)
  })
})

describe('call', () => {
  it('returns what the work returns, and throws in the words of the port', async () => {
    expect(await call(async () => 7)).toBe(7)
    await expect(call(() => Promise.reject(broken('ECONNREFUSED')))).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})

describe('ignoreMissing', () => {
  it.each([answer(404, 'No such container'), answer(304, 'not modified'), answer(409, 'removal of container x is already in progress')])(
    '%s: done',
    async (error) => {
      await expect(ignoreMissing(() => Promise.reject(error))).resolves.toBeUndefined()
    },
  )

  it('other failures are not', async () => {
    await expect(ignoreMissing(() => Promise.reject(answer(409, 'volume is in use')))).rejects.toThrow('in use')
    await expect(ignoreMissing(() => Promise.reject(broken('EPIPE')))).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})

describe('connectDocker', () => {
  const placeOf = (host: string) => {
    const { socketPath, protocol, host: name, port } = connectDocker({ dockerHost: host }).modem as unknown as Record<string, unknown>
    return { socketPath, protocol, name, port }
  }

  it.each([
    ['unix:///run/other.sock', { socketPath: '/run/other.sock' }],
    ['tcp://10.0.0.5:2376', { protocol: 'http', name: '10.0.0.5', port: '2376' }],
    ['tcp://engine', { protocol: 'http', name: 'engine', port: 2375 }],
    ['https://engine:2376', { protocol: 'https', name: 'engine', port: '2376' }],
  ])('%s', (host, expected) => {
    expect(placeOf(host)).toMatchObject(expected)
  })

  it('where nothing listens, nothing answers', async () => {
    expect(await answers(connectDocker({ dockerHost: 'unix:///nowhere/docker.sock' }))).toBe(false)
  })
})
