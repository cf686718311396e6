import { describe, expect, it } from 'vitest'
import { chooseToShed } from './connection-shedding.ts'

const backlogs = [
  { network: 'a', bytes: 10 },
  { network: 'a', bytes: 30 },
  { network: 'b', bytes: 35 },
  { network: 'a', bytes: 20 },
]
const shed = (networkBytes: number, totalBytes: number) => chooseToShed(backlogs, { networkBytes, totalBytes }).map(({ bytes }) => bytes)

describe('what is shed', () => {
  it('is nothing within the bounds', () => {
    expect(shed(60, 95)).toEqual([])
    expect(chooseToShed([], { networkBytes: 0, totalBytes: 0 })).toEqual([])
  })

  it('is the largest of every network that is over its bound', () => {
    expect(shed(34, 1000)).toEqual([30, 35])
    expect(shed(0, 1000).toSorted()).toEqual([10, 20, 30, 35])
  })

  it('is, over the bound for all, of the network that has the most, however small its parts are', () => {
    expect(shed(1000, 94)).toEqual([30])
    expect(shed(1000, 64)).toEqual([30, 35])
  })
})
