import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createHosts } from '../hosts.ts'
import { cookieIn, cookieNamesIn, createCookies } from './cookies.ts'

describe('the header', () => {
  it.each([
    ['a=1; b=2', 'b', '2'],
    ['a=1;b=2', 'b', '2'],
    ['b=1; b=2', 'b', '1'],
    ['b=x=y', 'b', 'x=y'],
    ['bb=1', 'b', null],
    ['b', 'b', null],
    ['=1; b=', 'b', ''],
    ['', 'b', null],
  ])('%j has %s: %j', (header, name, value) => {
    expect(cookieIn(header, name)).toBe(value)
  })

  it('lists names by their beginning', () => {
    expect(cookieNamesIn('x_1=a; y=b; x_2=c; x_', 'x_')).toEqual(['x_1', 'x_2'])
  })
})

describe('a cookie', () => {
  const answer = async (publicUrl: string | undefined, cookie: string) => {
    const cookies = createCookies(
      createHosts({ publicUrl, directUrl: undefined, allowedOrigins: [], localUrl: () => 'http://localhost:1' }),
    )
    const app = Fastify()
    app.get('/', async (request: FastifyRequest, reply: FastifyReply) => {
      cookies.set(reply, 'lab_session', 'new', 60)
      cookies.clear(reply, 'lab_other')
      return { read: cookies.read(request, 'lab_session') }
    })
    const { headers, body } = await app.inject({ url: '/', headers: { cookie } })
    return { set: headers['set-cookie'], read: JSON.parse(body).read }
  }
  const both = 'lab_session=plain; __Host-lab_session=own'

  it('has a plain name on http', async () => {
    expect(await answer(undefined, both)).toEqual({
      set: ['lab_session=new; Path=/; HttpOnly; SameSite=Lax; Max-Age=60', 'lab_other=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'],
      read: 'plain',
    })
  })

  it('belongs to this host alone on https', async () => {
    expect(await answer('https://lab.example', both)).toEqual({
      set: [
        '__Host-lab_session=new; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure',
        '__Host-lab_other=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
      ],
      read: 'own',
    })
  })
})
