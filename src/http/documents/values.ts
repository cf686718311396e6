// The values of the {{names}} in the texts: addresses of the host that was asked, and the limits of this installation.

import { z } from 'zod'
import { type Limits, type RateClass, type Rates, rateClasses, scaleRates } from '../../configured-limits.ts'
import { apiVersions, basePath } from '../../contract/api-version.ts'
import { commandLimits } from '../../contract/command.ts'
import { defaultCourseId } from '../../contract/course.ts'
import { type PublicLimit, publicLimitsOf, publicMeanings } from '../../contract/public-limits.ts'
import { TerminalHello, terminalCloseCodes, terminalLimits, terminalPath } from '../../contract/terminal.ts'
import { errorRows } from '../../error-meanings.ts'
import type { Values } from './template.ts'

/** What the documents tell of an installation. */
export interface Numbers {
  readonly limits: Readonly<Record<PublicLimit, number>>
  /** Requests per minute; null where they are not limited. */
  readonly rates: Readonly<Record<'anonymous' | 'account', Rates>> | null
  /** Whether a start needs a plan or a credit, and so an account. */
  readonly requiresPlan: boolean
}

export interface Told {
  readonly limits: Limits
  readonly rateLimitScale: number
  readonly requiresPlan: boolean
}

export const numbersOf = ({ limits, rateLimitScale, requiresPlan }: Told): Numbers => {
  const scaled = (rates: Rates) => scaleRates(rates, rateLimitScale)
  const { anonymous, account } = limits.rates
  const rates = rateLimitScale === 0 ? null : { anonymous: scaled(anonymous), account: scaled(account) }
  return { limits: publicLimitsOf(limits), rates, requiresPlan }
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** The fields of an object that OpenAPI has no place for. */
const fieldTable = (schema: z.ZodType): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  const rows = Object.entries(properties).map(([name, field]) => {
    const { type, description } = field as z.core.JSONSchema.JSONSchema
    return [`\`${name}\``, `${type}${required.includes(name) ? '' : ', optional'}`, description ?? '']
  })
  return table(['field of the first message', 'type', 'meaning'], rows)
}

/** Two columns, because the reference has little room for them. */
const errorTable = () =>
  table(
    ['status and code', 'what it means, and what you can do'],
    errorRows().map(([status, code, means, remedy]) => [`${status} ${code}`, `${means}; ${remedy}`]),
  )
const errorList = () => errorRows().map(([status, code, means, remedy]) => `- ${status} ${code}: ${means}; ${remedy}`)

const perClass = (rates: Rates) => rateClasses.map((name: RateClass) => `${name} ${rates[name]}`).join(', ')
const rateText = (rates: Numbers['rates']) =>
  rates === null
    ? 'Requests are not limited here.'
    : `Per minute, an account has ${perClass(rates.account)}; a network without a credential ${perClass(rates.anonymous)}.`

const limitList = ({ limits, rates }: Numbers) => [
  `- ${rateText(rates)}`,
  ...Object.entries(publicMeanings).map(([name, means]) => `- \`${name}\` ${limits[name as PublicLimit]}: ${means}`),
]

const mcpCallers = ({ limits, requiresPlan }: Numbers): string =>
  requiresPlan
    ? 'A start needs an account with a plan or credits: send its personal access token as bearer token, or as the argument `api_token`.'
    : 'No credential is needed; a personal access token as bearer token, or as the argument `api_token`, attributes the drill to your account. ' +
      `A drill without an account lives ${limits.sandbox_anonymous_minutes} minutes, and each network has ${limits.sandboxes_per_anonymous_address} at once.`

export const valuesOf = (root: string, numbers: Numbers): Values => ({
  ...numbers.limits,
  root_url: root,
  base_url: `${root}${basePath}`,
  terminal_address: `${root.replace(/^http/, 'ws')}${basePath}${terminalPath}`,
  default_course: defaultCourseId,
  api_versions: apiVersions.map((version) => `\`${version}\``).join(', '),
  rates: rateText(numbers.rates),
  mcp_credential: numbers.requiresPlan ? 'the token of an account with a plan or credits' : 'none',
  mcp_callers: mcpCallers(numbers),
  error_table: errorTable(),
  error_list: errorList().join('\n'),
  limit_list: limitList(numbers).join('\n'),
  commands_per_container: commandLimits.keptPerContainer,
  terminal_hello_fields: fieldTable(TerminalHello),
  terminal_hello_seconds: terminalLimits.helloSeconds,
  terminal_scrollback_kib: terminalLimits.scrollbackBytes / 1024,
  terminal_frame_kib: terminalLimits.frameBytes / 1024,
  terminals_per_sandbox: terminalLimits.perSandbox,
  terminal_replaced_code: terminalCloseCodes.replaced,
})
