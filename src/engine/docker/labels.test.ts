import { expect, it } from 'vitest'
import { labelFilter, labelKeys, labelsFor, objectLabelsOf } from './labels.ts'

const labels = { installation: 'here', sandbox: '0123456789abcdef', deadline: new Date('2030-01-02T03:04:05.678Z') }

it('what is written as labels is read back', () => {
  expect(objectLabelsOf(labelsFor(labels, 'service', 'web'))).toEqual(labels)
  expect(objectLabelsOf(labelsFor(labels, 'network'))).toEqual(labels)
})

it('labels name the role, and the service where there is one', () => {
  expect(labelsFor(labels, 'service', 'web')).toMatchObject({ [labelKeys.role]: 'service', [labelKeys.service]: 'web' })
  expect(labelsFor(labels, 'probe')).not.toHaveProperty(labelKeys.service)
})

it.each([['installation'], ['sandbox'], ['deadline']] as const)('without %s there are no labels', (key) => {
  const { [labelKeys[key]]: _, ...rest } = labelsFor(labels, 'service', 'web')
  expect(objectLabelsOf(rest)).toBeNull()
})

it('an object of somebody else has no labels', () => {
  expect(objectLabelsOf(undefined)).toBeNull()
  expect(objectLabelsOf({ maintainer: 'somebody' })).toBeNull()
})

it('a filter asks for every label that is given', () => {
  expect(labelFilter({ installation: 'here', sandbox: 'x' })).toEqual({
    label: [`${labelKeys.installation}=here`, `${labelKeys.sandbox}=x`],
  })
})
