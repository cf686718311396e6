// The labels on every object of the engine: installation, sandbox, role, deadline. They are the only record of what belongs to whom.

const prefix = 'incident-lab'

export const labelKeys = {
  installation: `${prefix}.installation`,
  sandbox: `${prefix}.sandbox`,
  deadline: `${prefix}.deadline`,
  role: `${prefix}.role`,
  service: `${prefix}.service`,
  /** Of a network: its name in the sandbox. */
  network: `${prefix}.network`,
  /** Of a container: the networks that it belongs on, and its address on each. */
  attachments: `${prefix}.attachments`,
  /** Of a container: the limits that it was authored with. */
  limits: `${prefix}.limits`,
} as const

/** service: can be entered by users; probe: one for each sandbox; inspector: one for each installation; helper: short-lived, ours. */
export type Role = 'service' | 'probe' | 'inspector' | 'helper' | 'network' | 'storage'
/** The disk meter: one for each server, outside of sandboxes; it ends with its server. */
export const meterRole = 'meter'

export interface ObjectLabels {
  readonly installation: string
  readonly sandbox: string
  readonly deadline: Date
}

export const labelsFor = (labels: ObjectLabels, role: Role, service?: string): Record<string, string> => ({
  [labelKeys.installation]: labels.installation,
  [labelKeys.sandbox]: labels.sandbox,
  [labelKeys.deadline]: labels.deadline.toISOString(),
  [labelKeys.role]: role,
  ...(service === undefined ? {} : { [labelKeys.service]: service }),
})

/** A network that a container is attached to, and its address there. */
export interface NetworkAttachment {
  readonly network: string
  readonly address: string
}

export const attachmentsLabel = (attachments: readonly NetworkAttachment[]): Record<string, string> => ({
  [labelKeys.attachments]: attachments.map(({ network, address }) => `${network}=${address}`).join(' '),
})

export const attachmentsOf = (labels: Record<string, string> | undefined): NetworkAttachment[] =>
  (labels?.[labelKeys.attachments] ?? '')
    .split(' ')
    .filter((attachment) => attachment !== '')
    .map((attachment) => {
      const [network = '', address = ''] = attachment.split('=')
      return { network, address }
    })

export const labelFilter = (match: Partial<Record<keyof typeof labelKeys, string>>): { label: string[] } => ({
  label: Object.entries(match).map(([key, value]) => `${labelKeys[key as keyof typeof labelKeys]}=${value}`),
})

export const objectLabelsOf = (labels: Record<string, string> | undefined): ObjectLabels | null => {
  const installation = labels?.[labelKeys.installation]
  const sandbox = labels?.[labelKeys.sandbox]
  const deadline = labels?.[labelKeys.deadline]
  return installation && sandbox && deadline ? { installation, sandbox, deadline: new Date(deadline) } : null
}
