// Links of the OpenAPI document: which operation goes on from a response, and with which of its values.

import type { Link, OperationObject, Paths } from './openapi-types.ts'

interface Step {
  readonly from: string
  readonly status: string
  readonly name: string
  readonly to: string
  /** For the path parameters of the other operation, in their order. */
  readonly values: readonly string[]
  readonly description: string
}

const steps: readonly Step[] = [
  {
    from: 'startSandbox',
    status: '202',
    name: 'job',
    to: 'readJob',
    values: ['$response.body#/job_id'],
    description: 'Poll the job until the sandbox runs.',
  },
  {
    from: 'startSandbox',
    status: '202',
    name: 'cancel',
    to: 'cancelJob',
    values: ['$response.body#/job_id'],
    description: 'Withdraw the start while it is queued.',
  },
  {
    from: 'startSandbox',
    status: '200',
    name: 'sandbox',
    to: 'readSandbox',
    values: ['$response.body#/id'],
    description: 'Read the sandbox.',
  },
  {
    from: 'createCheckoutSession',
    status: '201',
    name: 'session',
    to: 'readCheckoutSession',
    values: ['$response.body#/id'],
    description: 'Read it until `payment_status` is `paid`.',
  },
  {
    from: 'createCheckoutSession',
    status: '201',
    name: 'cancel',
    to: 'cancelCheckoutSession',
    values: ['$response.body#/id'],
    description: 'Withdraw it while it is open.',
  },
  {
    from: 'readJob',
    status: '200',
    name: 'sandbox',
    to: 'readSandbox',
    values: ['$response.body#/session/id'],
    description: 'Read the sandbox of a job that has succeeded.',
  },
]

const parametersOf = (path: string) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string)

/** Adds the links to the responses that they start from. Throws when one leads nowhere. */
export const createLinker = (paths: Paths) => {
  const pathOf = (wanted: string): string => {
    const found = Object.entries(paths).find(([, methods]) => Object.values(methods).some(({ operationId }) => operationId === wanted))
    if (found === undefined) throw new Error(`a link leads to ${wanted}, which is no operation`)
    return found[0]
  }
  const linkOf = ({ to, values, description }: Step): Link => ({
    operationId: to,
    parameters: Object.fromEntries(parametersOf(pathOf(to)).map((name, index) => [name, values[index] as string])),
    description,
  })
  return (operation: OperationObject): OperationObject => {
    const own = steps.filter(({ from }) => from === operation.operationId)
    if (own.length === 0) return operation
    const responses = Object.entries(operation.responses).map(([status, response]) => {
      const links = own.filter((step) => step.status === status).map((step) => [step.name, linkOf(step)])
      return [status, links.length === 0 ? response : { ...response, links: Object.fromEntries(links) }]
    })
    return { ...operation, responses: Object.fromEntries(responses) }
  }
}
