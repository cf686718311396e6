import { expect, it } from 'vitest'
import { labelFilter, labelKeys, labelsFor, marksOf } from './labels.ts'

const marks = { installation: 'here', sandbox: '0123456789abcdef', deadline: new Date('2030-01-02T03:04:05.678Z') }

it('marks come back from their labels', () => {
  expect(marksOf(labelsFor(marks, 'service', 'web'))).toEqual(marks)
  expect(marksOf(labelsFor(marks, 'network'))).toEqual(marks)
})

it('labels name the role, and the service where there is one', () => {
  expect(labelsFor(marks, 'service', 'web')).toMatchObject({ [labelKeys.role]: 'service', [labelKeys.service]: 'web' })
  expect(labelsFor(marks, 'probe')).not.toHaveProperty(labelKeys.service)
})

it.each([['installation'], ['sandbox'], ['deadline']] as const)('without %s there are no marks', (key) => {
  const { [labelKeys[key]]: _, ...rest } = labelsFor(marks, 'service', 'web')
  expect(marksOf(rest)).toBeNull()
})

it('an object of somebody else has no marks', () => {
  expect(marksOf(undefined)).toBeNull()
  expect(marksOf({ maintainer: 'somebody' })).toBeNull()
})

it('a filter asks for every label that is given', () => {
  expect(labelFilter({ installation: 'here', sandbox: 'x' })).toEqual({
    label: [`${labelKeys.installation}=here`, `${labelKeys.sandbox}=x`],
  })
})
