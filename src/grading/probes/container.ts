import type { LeafProbe } from '../../catalog/probe-file.ts'
import type { Look } from '../observation.ts'

type Spec = Extract<LeafProbe, { container: unknown }>['container']

export const look: Look<Spec> = async ({ in: service, running }, { observer }) => {
  const state = await observer.engine.describe(observer.sandbox)
  const found = state?.services.find((entry) => entry.name === service)
  return {
    passed: found?.running === running,
    saw: `${service} is ${found === undefined ? 'gone' : found.running ? 'running' : 'stopped'}`,
  }
}
