import { describe, expect, it } from 'vitest'
import { refusalOf } from './guard.ts'

describe('hosts and origins', () => {
  it('are this machine at the served port, and the public address', () => {
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'lab.example.com', 'lab.example.com:443', 'Lab.Example.com']) {
      expect(refusalOf({ host }, 8080, ['https://lab.example.com'])).toBeNull()
    }
    expect(refusalOf({ host: 'lab.example.com:9000' }, 8080, ['http://lab.example.com:9000'])).toBeNull()
    expect(refusalOf({ host: 'localhost' }, 80, ['http://localhost'])).toBeNull()
  })

  it('are nothing else', () => {
    for (const host of ['', 'evil.example', 'localhost', 'localhost:80', 'lab.example.com:8080', 'a@localhost:8080', 'localhost:8080/x']) {
      expect(refusalOf({ host }, 8080, ['https://lab.example.com'])).toContain('host')
    }
    expect(refusalOf({}, 8080, ['http://localhost:8080'])).toContain('host')
  })

  it('take pages of the public address and of this machine', () => {
    const from = (origin: string) => refusalOf({ host: 'localhost:8080', origin }, 8080, ['https://lab.example.com'])
    for (const origin of ['https://lab.example.com', 'http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:3000']) {
      expect(from(origin)).toBeNull()
    }
    for (const origin of [
      'http://lab.example.com',
      'https://lab.example.com:8443',
      'https://evil.example',
      'null',
      '',
      'ftp://localhost',
    ]) {
      expect(from(origin)).toContain('origin')
    }
  })
})
