// Hints over REST: what is said of those that are left.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { Hint } from '../../src/contract/evaluation.ts'
import { type Lab, smallCatalog, startLab } from '../support/server.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ ...smallCatalog })
})
afterAll(() => lab?.close())

it('a hint that fits another state is no promise, is told as one that does not fit now, and is given once it does', async () => {
  const { session_id } = (await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
  const ask = () => lab.call('POST', '/api/v1/sandbox/hint', { session_id })
  const inWeb = (command: string) => lab.call('POST', '/api/v1/sandbox/exec', { session_id, container: 'web', command })
  const counts = async () => {
    const { hints_left, hints_left_unconditional } = Hint.parse((await ask()).body)
    return [hints_left, hints_left_unconditional]
  }
  expect([await counts(), await counts()]).toEqual([
    [2, 1],
    [1, 0],
  ])

  await inWeb('cp /srv/index.html /srv/www/index.html')
  const { status, body } = await ask()
  expect([status, body.error.code, body.error.details]).toEqual([404, 'no_hint_fits', { hints_left: 1 }])
  expect(body.error.message).toBe('the one hint that is left does not fit the present state of the sandbox')

  await inWeb('rm /srv/www/index.html')
  expect(await counts()).toEqual([0, 0])
  expect((await ask()).body.error).toMatchObject({ code: 'not_found', message: 'all hints of this course were given in this sandbox' })
})
