import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sitesAwakeByMemory, webProcessesBy } from './config-settings.ts'
import { ConfigError, describeConfig, loadConfig } from './config.ts'
import { MASK } from '../log/redact-text.ts'
import { redact } from '../log/redact.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'config-'))
})
beforeEach(() => rm(join(cwd, '.env'), { force: true }))
afterAll(() => rm(cwd, { recursive: true }))

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env, cwd)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('without any setting everything has its default', () => {
  expect(loadConfig({}, cwd)).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    socketioPort: 0,
    url: 'http://localhost:8080',
    dataDir: join(cwd, 'data'),
    cacheDir: join(cwd, 'node_modules/.cache/easydash'),
    databaseUrl: null,
    secretKeys: null,
    smtpUrl: null,
    smtpHost: null,
    smtpPort: null,
    smtpUser: null,
    smtpPassword: null,
    smtpSecurity: null,
    mailFrom: 'Easydash <no-reply@localhost>',
    localSitesDomain: 'localhost',
    localSitesUrl: null,
    serverSitesUrl: null,
    siteIdleMinutes: 10,
    adminRequestSeconds: 300,
    signup: 'invite',
    egressIps: [],
    defaultPublicKey: null,
    botName: 'easydash-bot',
    addressMap: {},
    trustedProxies: [],
    productName: 'Easydash',
    wordpressOrgUrl: null,
    termsFile: null,
    ipLookupUrl: null,
    allowPrivateCidrs: [],
  })
  expect(loadConfig({}, cwd).rateLimits.login_account).toEqual({ limit: 5, seconds: 300 })
})

test('values are read, cleaned and made absolute', () => {
  const config = loadConfig(
    {
      PORT: ' 9001 ',
      EASYDASH_DATA_DIR: '../elsewhere',
      EASYDASH_CACHE_DIR: '/var/cache/x/',
      EASYDASH_URL: 'https://Dash.example.com/',
      TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.1',
      EASYDASH_LOCAL_SITES_URL: 'https://{slug}.sites.example.net/',
      EASYDASH_SERVER_SITES_URL: 'http://{domain}.localhost:8090',
      EASYDASH_LOCAL_SITES_DOMAIN: 'Sites.Example.net',
      EASYDASH_SIGNUP: 'open',
      EASYDASH_SITE_IDLE_MINUTES: '0.5',
      EASYDASH_RATE_LIMITS: '{"login_ip":{"limit":100,"seconds":60}}',
      EASYDASH_ADDRESS_MAP: '{"203.0.113.7:22":"127.0.0.1:2201"}',
      HCLOUD_ENDPOINT: 'http://127.0.0.1:4000/v1/',
      EASYDASH_EGRESS_IPS: '198.51.100.1 2001:db8::1',
    },
    cwd,
  )
  expect(config).toMatchObject({
    port: 9001,
    dataDir: join(cwd, '../elsewhere'),
    cacheDir: '/var/cache/x',
    url: 'https://dash.example.com',
    trustedProxies: ['10.0.0.0/8', '192.168.1.1'],
    localSitesUrl: 'https://{slug}.sites.example.net',
    serverSitesUrl: 'http://{domain}.localhost:8090',
    localSitesDomain: 'sites.example.net',
    signup: 'open',
    siteIdleMinutes: 0.5,
    mailFrom: 'Easydash <no-reply@dash.example.com>',
    addressMap: { '203.0.113.7:22': '127.0.0.1:2201' },
    endpoints: { hetzner: 'http://127.0.0.1:4000/v1', github: null },
    egressIps: ['198.51.100.1', '2001:db8::1'],
  })
  expect(config.rateLimits).toMatchObject({
    login_ip: { limit: 100, seconds: 60 },
    login_account: { limit: 5, seconds: 300 },
  })
  expect(loadConfig({ PORT: '9100' }, cwd).url).toBe('http://localhost:9100')
})

test('the configuration is immutable', () => {
  const config = loadConfig({}, cwd)
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
  expect(() => Object.assign(config.endpoints, { hetzner: 'x' })).toThrow(TypeError)
})

describe('a bad value is refused with the name of its setting and what is expected', () => {
  test.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['HOST', 'http://x'],
    ['SOCKETIO_PORT', 'on'],
    ['EASYDASH_URL', 'dash.example.com'],
    ['EASYDASH_URL', 'https://x.test/path'],
    ['EASYDASH_URL', 'ftp://x.test'],
    ['EASYDASH_URL', 'https://u:p@x.test'],
    ['DATABASE_URL', 'mysql://x/y'],
    ['EASYDASH_SECRET_KEYS', 'v1:short'],
    ['EASYDASH_SECRET_KEYS', 'secret'],
    ['SMTP_URL', 'mail.example.com'],
    ['EASYDASH_LOCAL_MYSQL_URL', 'postgresql://root@db'],
    ['MAIL_FROM', 'Easydash'],
    ['MAIL_FROM', 'a@b\r\nBcc: c@d'],
    ['EASYDASH_LOCAL_SITES_DOMAIN', '*.x.test'],
    ['EASYDASH_LOCAL_SITES_DOMAIN', '127.0.0.1'],
    ['EASYDASH_LOCAL_SITES_URL', 'https://sites.example.net'],
    ['EASYDASH_LOCAL_SITES_URL', 'https://x.test/{slug}'],
    ['EASYDASH_SERVER_SITES_URL', 'http://{domain}.localhost/x'],
    ['EASYDASH_SITE_IDLE_MINUTES', '0'],
    ['EASYDASH_SITES_AWAKE_MAX', '0'],
    ['EASYDASH_SIGNUP', 'closed'],
    ['EASYDASH_RATE_LIMITS', '{'],
    ['EASYDASH_RATE_LIMITS', '{"unknown":{"limit":1,"seconds":1}}'],
    ['EASYDASH_RATE_LIMITS', '{"login_ip":{"limit":0,"seconds":1}}'],
    ['EASYDASH_EGRESS_IPS', 'example.com'],
    ['EASYDASH_DEFAULT_PUBLIC_KEY', 'ssh-ed25519'],
    ['EASYDASH_ADDRESS_MAP', '{"a":"b"}'],
    ['TRUSTED_PROXIES', '10.0.0.0/40'],
    ['HCLOUD_ENDPOINT', 'hetzner'],
    ['WORDPRESS_ORG_URL', 'file:///x'],
    ['EASYDASH_ALLOW_PRIVATE_CIDRS', 'all'],
    ['STRIPE_SECRET_KEY', 'pk_test_1'],
    ['STRIPE_PUBLISHABLE_KEY', 'sk_test_1'],
    ['STRIPE_WEBHOOK_SECRET', 'secret'],
    ['STRIPE_API_BASE', 'https://api.example.com/v1'],
  ])('%s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))])
  })

  test('reports all of them together, without secrets in the text', () => {
    const problems = problemsOf({
      PORT: 'x',
      EASYDASH_SIGNUP: 'y',
      DATABASE_URL: 'mysql://u:hidden@h',
      EASYDASH_SECRET_KEYS: 'v1:hidden',
    })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'EASYDASH_SECRET_KEYS',
      'EASYDASH_SIGNUP',
    ])
    expect(problems.join()).not.toContain('hidden')
  })

  test('payments that are set in part, or with keys of two modes', () => {
    const STRIPE_SECRET_KEY = 'sk_live_1'
    expect(problemsOf({ STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY: 'pk_live_1' })).toEqual([
      'STRIPE_WEBHOOK_SECRET must be set, too: STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY alone cannot take payments. Or set none of them.',
    ])
    expect(problemsOf({ STRIPE_API_BASE: 'http://127.0.0.1:12111' })).toEqual([
      expect.stringMatching(/^STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET must be set/),
    ])
    const both = { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
    expect(problemsOf(both)).toEqual([expect.stringContaining('Take both from the same mode')])
    expect(problemsOf({ ...both, STRIPE_PUBLISHABLE_KEY: 'pk_live_1' })).toEqual([])
  })

  test('settings that do not fit together', () => {
    expect(problemsOf({ SOCKETIO_PORT: '8080' })).toEqual([expect.stringContaining('SOCKETIO_PORT')])
  })
})

test('.env is read, the environment wins, an empty value means none', async () => {
  await writeFile(
    join(cwd, '.env'),
    'PORT=9002\nEASYDASH_BOT_NAME="our bot"\nEASYDASH_PRODUCT_NAME=Ours\n# HOST=0.0.0.0\n',
  )
  const env = { PORT: '9003', EASYDASH_PRODUCT_NAME: '' }
  const config = loadConfig(env, cwd)
  expect(config).toMatchObject({ port: 9003, botName: 'our bot', productName: 'Easydash', host: '127.0.0.1' })
  const described = new Map(describeConfig(config).map(({ name, value, source }) => [name, `${value} (${source})`]))
  expect(described.get('PORT')).toBe('9003 (environment)')
  expect(described.get('EASYDASH_BOT_NAME')).toBe('our bot (.env)')
  expect(described.get('EASYDASH_PRODUCT_NAME')).toBe('Easydash (default)')
})

test('secrets are masked where settings are shown, and known to redact afterwards', () => {
  // Random, because what one test registers stays registered in the others.
  const drawn = () => `-${randomBytes(8).toString('hex')}`
  const key = randomBytes(32).toString('base64')
  const [database, smtp, mysql, metrics, stripe, webhook] = [drawn(), drawn(), drawn(), drawn(), drawn(), drawn()]
  const env = {
    DATABASE_URL: `postgresql://u:${database}@h/d`,
    SMTP_URL: `smtp://u:%2D${smtp.slice(1)}@h`,
    EASYDASH_LOCAL_MYSQL_URL: `mysql://root:%2D${mysql.slice(1)}@h`,
    EASYDASH_SECRET_KEYS: `v1:${key}`,
    EASYDASH_METRICS_TOKEN: metrics,
    STRIPE_SECRET_KEY: `sk_test_${stripe.slice(1)}`,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_public',
    STRIPE_WEBHOOK_SECRET: `whsec_${webhook.slice(1)}`,
  }
  const shown = JSON.stringify(describeConfig(loadConfig(env, cwd)))
  for (const secret of [key, database, smtp, mysql, metrics, stripe, webhook]) expect(shown).not.toContain(secret)
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = env
  expect(redact([key, database, smtp, mysql, metrics, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET].join(' '))).toBe(
    Array.from({ length: 7 }, () => MASK).join(' '),
  )
})

test.each([
  [{ SMTP_URL: 'smtps://u:p@mail.example' }, 'smtps://u:p@mail.example'],
  [{ SMTP_URL: 'smtp://u:p@mail.example:587' }, 'smtp://u:p@mail.example:587?requireTLS=true'],
  [{ SMTP_URL: 'smtp://mail.example', SMTP_SECURITY: 'none' }, 'smtp://mail.example?ignoreTLS=true'],
  [{ SMTP_URL: 'smtp://127.0.0.1:1025' }, 'smtp://127.0.0.1:1025'],
  [{ SMTP_URL: 'smtp://[::1]:1025', SMTP_SECURITY: 'starttls' }, 'smtp://[::1]:1025?requireTLS=true'],
  [{ SMTP_HOST: 'mail.example' }, 'smtp://mail.example:587?requireTLS=true'],
  [{ SMTP_HOST: 'mail.example', SMTP_PORT: '465' }, 'smtps://mail.example:465'],
  [{ SMTP_HOST: 'localhost', SMTP_PORT: '25' }, 'smtp://localhost:25'],
  [{ SMTP_HOST: '2001:db8::1', SMTP_SECURITY: 'none' }, 'smtp://[2001:db8::1]:25?ignoreTLS=true'],
  [
    { SMTP_HOST: 'h.example', SMTP_USER: 'a@b.example', SMTP_PASSWORD: "p:/?#@%' x", SMTP_SECURITY: 'tls' },
    'smtps://a%40b.example:p%3A%2F%3F%23%40%25%27%20x@h.example:465',
  ],
])('a mail server: %o', (env, url) => {
  expect(loadConfig(env, cwd).smtpUrl).toBe(url)
})

test.each([
  [{ SMTP_URL: 'smtp://u:a#b/c@mail.example' }, /In the user name and password of SMTP_URL write # as %23, \/ as %2F;/],
  [{ SMTP_URL: 'smtp://u:12/34@mail.example' }, /write \/ as %2F/],
  [{ SMTP_URL: 'smtp://h', SMTP_HOST: 'h', SMTP_USER: 'u' }, /SMTP_URL and SMTP_HOST and SMTP_USER both name/],
  [{ SMTP_URL: 'smtps://h', SMTP_SECURITY: 'none' }, /SMTP_SECURITY is "none", but SMTP_URL begins with smtps:/],
  [{ SMTP_PORT: '25', SMTP_SECURITY: 'none' }, /SMTP_PORT and SMTP_SECURITY need SMTP_HOST/],
  [{ SMTP_HOST: 'h', SMTP_USER: 'u' }, /SMTP_USER and SMTP_PASSWORD belong together/],
  [{ SMTP_HOST: 'h', SMTP_SECURITY: 'ssl' }, /SMTP_SECURITY must be "tls" or "starttls" or "none"/],
])('no mail server: %o', (env, problem) => {
  expect(() => loadConfig(env, cwd)).toThrow(problem)
})

test('a malformed escape in a password does not stop the start', () => {
  expect(loadConfig({ SMTP_URL: 'smtp://u:100%@h' }, cwd).smtpUrl).toBe('smtp://u:100%@h?requireTLS=true')
})

test('a web process for each two processors and each GB, at most four', () => {
  expect([1, 2, 3, 4, 6, 8, 64].map((processors) => webProcessesBy(processors, 2 ** 36))).toEqual([1, 1, 1, 2, 3, 4, 4])
  expect([0.5, 2, 3.9].map((gigabytes) => webProcessesBy(64, gigabytes * 2 ** 30))).toEqual([1, 2, 3])
})

test('with a database of others there is one web process, unless told otherwise', () => {
  const elsewhere = { DATABASE_URL: 'postgresql://u:p@db.example/easydash' }
  expect(loadConfig(elsewhere, cwd).webProcesses).toBe(1)
  expect(loadConfig({ ...elsewhere, EASYDASH_WEB_PROCESSES: '3' }, cwd).webProcesses).toBe(3)
})

test('three sites for each 4 GB, at least one', () => {
  expect([1, 2, 4, 8, 16].map((gigabytes) => sitesAwakeByMemory(gigabytes * 2 ** 30))).toEqual([1, 1, 3, 6, 12])
})
