import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allSettings, describeConfig, readConfig } from './config.ts'
import { limitDefinitions } from './contract/limits.ts'
import { publicLimitsOf, publicMeanings } from './contract/public-limits.ts'

const read = (environment: Record<string, string>) => readConfig({}, environment)

describe('defaults', () => {
  it('serve this machine only', () => {
    const config = read({})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: resolve('.lab'),
      limits: { accountSandboxes: 2, queue: 50, diskBytes: 1024 ** 3, evaluations: 20, batchItems: 20 },
      rateLimitScale: 1,
      trustedProxies: [],
      subnetPool: '10.213.0.0/16',
      logLevel: 'info',
      requirePlan: false,
      payments: 'off',
      stripeApiUrl: 'https://api.stripe.com',
    })
    expect([config.databaseUrl, config.secret, config.runtime, config.publicUrl, config.dockerHost]).toEqual(Array(5).fill(undefined))
  })

  it('the capacity is measured, at least one', () => {
    expect(read({}).limits.capacity).toBeGreaterThanOrEqual(1)
    expect(Number.isInteger(read({}).limits.capacity)).toBe(true)
  })
})

describe('values', () => {
  it('what is given wins', () => {
    const config = read({
      LAB_HOST: '0.0.0.0',
      LAB_PORT: '0',
      LAB_DATA_DIR: '/srv/lab',
      LAB_SCENARIOS_DIR: '/srv/incidents',
      LAB_START_WAIT_SECONDS: '17',
      LAB_DATABASE_URL: 'postgresql://lab@db/lab',
      LAB_SECRET: 's'.repeat(32),
      LAB_CAPACITY: '7',
      LAB_ACCOUNT_SANDBOXES: '3',
      LAB_ANONYMOUS_SANDBOXES: '4',
      LAB_SUBNET_POOL: '10.9.0.0/24',
      LAB_RUNTIME: 'runsc',
      LAB_PUBLIC_URL: 'https://lab.example/',
      LAB_DIRECT_URL: 'https://direct.lab.example',
      LAB_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      LAB_SECURITY_CONTACT: 'mailto:security@lab.example',
      LAB_QUEUE_MAX: '5',
      LAB_POOL: 'off',
      LAB_POOL_MINUTES: '6',
      LAB_RATE_LIMIT_SCALE: '0.5',
      LAB_RATES_ANONYMOUS: 'read=1,write=2,start=3,exec=4,auth=5',
      LAB_RATES_ACCOUNT: 'auth=50,exec=40,start=30,write=20,read=10',
      LAB_DISK_BYTES: '16777216',
      LAB_LINGER_MINUTES: '1',
      LAB_ANONYMOUS_MINUTES: '2',
      LAB_EXTEND_MINUTES: '3',
      LAB_LONGEST_MINUTES: '4',
      LAB_PRO_LONGEST_MINUTES: '24',
      LAB_PRO_SANDBOXES: '25',
      LAB_CHECKOUT_MINUTES: '26',
      LAB_ACCOUNT_CHECKOUTS: '27',
      LAB_GRACE_MINUTES: '5',
      LAB_EVALUATIONS: '6',
      LAB_EVALUATION_SPACING_SECONDS: '7',
      LAB_BATCH_ITEMS: '8',
      LAB_IDEMPOTENCY_HOURS: '9',
      LAB_IDEMPOTENCY_BODY_BYTES: '13',
      LAB_IDEMPOTENCY_ACCOUNT_BYTES: '14',
      LAB_ALLOWED_ORIGINS: 'https://one.example/, http://localhost:3000',
      LAB_METRICS_TOKEN: 'm'.repeat(16),
      LAB_CONNECTIONS: '15',
      LAB_ACCOUNT_TOKENS: '17',
      LAB_BROWSER_SESSION_DAYS: '18',
      LAB_BROWSER_SESSION_IDLE_DAYS: '19',
      LAB_SIGN_IN_MINUTES: '20',
      LAB_GITHUB_CLIENT_ID: 'git-id',
      LAB_GITHUB_CLIENT_SECRET: 'git-secret',
      LAB_GITHUB_AUTHORIZE_URL: 'https://git.example/authorize',
      LAB_GITHUB_TOKEN_URL: 'https://git.example/token',
      LAB_GITHUB_API_URL: 'https://git.example/api',
      LAB_GOOGLE_CLIENT_ID: 'goo-id',
      LAB_GOOGLE_CLIENT_SECRET: 'goo-secret',
      LAB_GOOGLE_ISSUER: 'http://localhost:9',
      LAB_REQUIRE_PLAN: '1',
      LAB_PAYMENTS: 'stripe',
      LAB_STRIPE_SECRET_KEY: 'sk_test_0123456789',
      LAB_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789, whsec_9876543210',
      LAB_STRIPE_API_URL: 'http://127.0.0.1:9/',
      LAB_NETWORK_CONNECTIONS: '16',
      LAB_MCP_STREAMS: '21',
      LAB_NETWORK_MCP_STREAMS: '22',
      LAB_ACCOUNT_EVENT_STREAMS: '28',
      LAB_SANDBOX_EVENT_STREAMS: '29',
      LAB_TERMINAL_LINGER_SECONDS: '10',
      LAB_RECORDING_BYTES: '11',
      LAB_RECORDING_DAYS: '12',
      LAB_GUESTS: '30',
      LAB_INVITATIONS: '31',
      LAB_TICKET_MINUTES: '32',
      LAB_LOG_LEVEL: 'warn',
      LAB_NODE: 'one',
      DOCKER_HOST: 'unix:///run/other.sock',
      HOME: '/root',
    })
    expect(config).toEqual({
      host: '0.0.0.0',
      port: 0,
      dataDir: '/srv/lab',
      scenariosDir: '/srv/incidents',
      databaseUrl: 'postgresql://lab@db/lab',
      secret: 's'.repeat(32),
      githubClientId: 'git-id',
      githubClientSecret: 'git-secret',
      githubAuthorizeUrl: 'https://git.example/authorize',
      githubTokenUrl: 'https://git.example/token',
      githubApiUrl: 'https://git.example/api',
      googleClientId: 'goo-id',
      googleClientSecret: 'goo-secret',
      googleIssuer: 'http://localhost:9',
      requirePlan: true,
      payments: 'stripe',
      stripeSecretKey: 'sk_test_0123456789',
      stripeWebhookSecrets: ['whsec_0123456789', 'whsec_9876543210'],
      stripeApiUrl: 'http://127.0.0.1:9',
      limits: {
        capacity: 7,
        startWaitSeconds: 17,
        queue: 5,
        warm: 0,
        warmMinutes: 6,
        accountSandboxes: 3,
        anonymousSandboxes: 4,
        accountTokens: 17,
        browserSessionDays: 18,
        browserSessionIdleDays: 19,
        signInMinutes: 20,
        diskBytes: 16 * 1024 ** 2,
        lingerMinutes: 1,
        anonymousMinutes: 2,
        extendMinutes: 3,
        longestMinutes: 4,
        proLongestMinutes: 24,
        proSandboxes: 25,
        checkoutMinutes: 26,
        accountCheckouts: 27,
        graceMinutes: 5,
        evaluations: 6,
        evaluationSpacingSeconds: 7,
        rates: {
          anonymous: { read: 1, write: 2, start: 3, exec: 4, auth: 5 },
          account: { read: 10, write: 20, start: 30, exec: 40, auth: 50 },
        },
        connections: 15,
        networkConnections: 16,
        mcpStreams: 21,
        networkMcpStreams: 22,
        accountEventStreams: 28,
        sandboxEventStreams: 29,
        batchItems: 8,
        idempotencyHours: 9,
        keptAnswerBytes: 13,
        keptAccountBytes: 14,
        terminalLingerSeconds: 10,
        recordingBytes: 11,
        recordingDays: 12,
        labGuests: 30,
        labInvitations: 31,
        ticketMinutes: 32,
      },
      rateLimitScale: 0.5,
      subnetPool: '10.9.0.0/24',
      runtime: 'runsc',
      publicUrl: 'https://lab.example',
      directUrl: 'https://direct.lab.example',
      trustedProxies: ['10.0.0.0/8', '::1'],
      allowedOrigins: ['https://one.example', 'http://localhost:3000'],
      metricsToken: 'm'.repeat(16),
      securityContact: 'mailto:security@lab.example',
      logLevel: 'warn',
      node: 'one',
      dockerHost: 'unix:///run/other.sock',
    })
  })

  it('an override wins over the environment, an undefined one does not', () => {
    expect(readConfig({ LAB_PORT: '1', LAB_HOST: undefined }, { LAB_PORT: '2', LAB_HOST: 'h' })).toMatchObject({ port: 1, host: 'h' })
  })
})

describe('refusals', () => {
  it.each([
    ['LAB_PORT', '65536'],
    ['LAB_PORT', '-1'],
    ['LAB_PORT', '80.5'],
    ['LAB_PORT', 'http'],
    ['LAB_PORT', ''],
    ['LAB_PORT', ' '],
    ['LAB_PORT', '0x50'],
    ['LAB_CAPACITY', '0'],
    ['LAB_CAPACITY', '1e3'],
    ['LAB_ACCOUNT_SANDBOXES', ''],
    ['LAB_HOST', ''],
    ['LAB_DATA_DIR', ''],
    ['LAB_DATABASE_URL', 'mysql://lab@db/lab'],
    ['LAB_DATABASE_URL', 'db'],
    ['LAB_SECRET', 'short'],
    ['LAB_SUBNET_POOL', '10.213.0.0'],
    ['LAB_SUBNET_POOL', '10.213.0.0/29'],
    ['LAB_SUBNET_POOL', '10.213.0.0/7'],
    ['LAB_SUBNET_POOL', '10.256.0.0/16'],
    ['LAB_RUNTIME', 'a b'],
    ['LAB_PUBLIC_URL', 'ftp://lab.example'],
    ['LAB_PUBLIC_URL', 'lab.example'],
    ['LAB_PUBLIC_URL', 'https://lab.example/path'],
    ['LAB_PUBLIC_URL', 'https://user:word@lab.example'],
    ['LAB_DIRECT_URL', 'https://lab.example/?q'],
    ['LAB_TRUSTED_PROXIES', 'everyone'],
    ['LAB_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['LAB_SECURITY_CONTACT', 'http://lab.example'],
    ['LAB_ALLOWED_ORIGINS', '*'],
    ['LAB_ALLOWED_ORIGINS', 'https://lab.example/path'],
    ['LAB_METRICS_TOKEN', 'short'],
    ['LAB_NETWORK_CONNECTIONS', '0'],
    ['LAB_GITHUB_TOKEN_URL', 'http://git.example/token'],
    ['LAB_GITHUB_CLIENT_ID', 'a b'],
    ['LAB_GOOGLE_ISSUER', 'ftp://localhost'],
    ['LAB_BROWSER_SESSION_DAYS', '0'],
    ['LAB_RATE_LIMIT_SCALE', '-1'],
    ['LAB_RATES_ANONYMOUS', 'read=1'],
    ['LAB_RATES_ANONYMOUS', 'read=0,write=2,start=3,exec=4,auth=5'],
    ['LAB_RATES_ACCOUNT', 'read=1,write=2,start=3,exec=4,auth=5,more=6'],
    ['LAB_POOL', 'many'],
    ['LAB_POOL', '-1'],
    ['LAB_REQUIRE_PLAN', 'yes'],
    ['LAB_REQUIRE_PLAN', ''],
    ['LAB_PAYMENTS', 'on'],
    ['LAB_STRIPE_SECRET_KEY', 'pk_test_0123456789'],
    ['LAB_STRIPE_SECRET_KEY', 'sk_test_'],
    ['LAB_STRIPE_WEBHOOK_SECRET', ''],
    ['LAB_STRIPE_WEBHOOK_SECRET', 'whsec_0123456789,'],
    ['LAB_STRIPE_API_URL', 'http://api.stripe.com'],
    ['LAB_STRIPE_API_URL', 'https://api.stripe.com/v1'],
    ['LAB_LOG_LEVEL', 'loud'],
    ['LAB_NODE', ''],
  ])('%s=%s is named', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^invalid configuration: ${name}[:.]`))
  })

  it('an unknown LAB_ name is named, other names are not ours', () => {
    expect(() => read({ LAB_PROT: '80', LAB_X: '', PORT: '1' })).toThrow('unknown configuration: LAB_PROT, LAB_X')
  })

  it('no value is repeated in the message', () => {
    expect(() => read({ LAB_SECRET: 'short-secret', LAB_DATABASE_URL: 'mysql://u:pass-word@h/d' })).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/short-secret|pass-word/) }),
    )
  })
})

describe('describeConfig', () => {
  it('names every value, masks secrets, says what is not set', () => {
    const shown = describeConfig({ LAB_PORT: '81' }, { LAB_SECRET: 's'.repeat(40), LAB_DATABASE_URL: 'postgres://u:pass-word@h/d' })
    const secrets = {
      LAB_METRICS_TOKEN: 'm'.repeat(16),
      LAB_GITHUB_CLIENT_SECRET: 'x',
      LAB_GOOGLE_CLIENT_SECRET: 'y',
      LAB_STRIPE_SECRET_KEY: 'sk_live_0123456789',
      LAB_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
    }
    expect(describeConfig({}, secrets)).toMatchObject(Object.fromEntries(Object.keys(secrets).map((name) => [name, '********'])))
    expect(shown).toMatchObject({ LAB_PORT: '81', LAB_SECRET: '********', LAB_DATABASE_URL: '********', LAB_PUBLIC_URL: '(not set)' })
    expect(shown).toMatchObject({ LAB_REQUIRE_PLAN: '0', LAB_PAYMENTS: 'off' })
    expect(Object.keys(shown).every((name) => name.startsWith('LAB_'))).toBe(true)
    expect(JSON.stringify(shown)).not.toMatch(/sss|pass-word/)
  })
})

describe('the definitions', () => {
  it('name each variable once, and say what it means in sentences', () => {
    const names = allSettings.map(({ env }) => env)
    expect(new Set(names).size).toBe(names.length)
    expect(allSettings.filter(({ means }) => !/^[A-Z`].*\.$/.test(means)).map(({ env }) => env)).toEqual([])
  })

  it('have defaults within their own bounds', () => {
    const beyond = Object.values(limitDefinitions).filter(
      (limit) => typeof limit.default === 'number' && (limit.default < limit.least || limit.default > limit.most),
    )
    expect(beyond).toEqual([])
  })

  it('publish limits under names of their own', () => {
    const { limits } = read({})
    const shown = publicLimitsOf(limits)
    expect(shown).toMatchObject({
      sandbox_linger_minutes: 15,
      capacity: limits.capacity,
      queue: 50,
      page_max: 100,
      exec_output_bytes: 1024 ** 2,
    })
    expect(Object.keys(shown).sort()).toEqual(Object.keys(publicMeanings).sort())
    expect(shown).not.toHaveProperty('connections')
  })

  it('measure the room of a machine', () => {
    const { capacity, warm } = limitDefinitions
    const [small, large] = [
      { memoryBytes: 1, cores: 1 },
      { memoryBytes: 2 ** 40, cores: 64 },
    ]
    expect([capacity.default(small), warm.default(small)]).toEqual([1, 1])
    expect([capacity.default(large), warm.default(large)]).toEqual([3200, 4])
  })
})

it('a misspelt name is told with the one that it is near to', () => {
  expect(() => read({ LAB_PROT: '80' })).toThrow(expect.objectContaining({ hint: 'did you mean LAB_PORT?' }))
  expect(() => read({ LAB_POOL: 'of' })).toThrow('LAB_POOL: must be a whole number, or off')
})
