/** The real wire layer on the real document store and accounts, with a small built app; without jobs and engines. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createDocuments } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Method } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { createAccounts, type Accounts } from '#server/features/accounts/accounts.ts'
import { createActivity } from '#server/features/activity/activity.ts'
import { createBilling, type Billing } from '#server/features/billing/billing.ts'
import { createConnections } from '#server/features/connections/connections.ts'
import { createUploads } from '#server/features/uploads/uploads.ts'
import { createFiles, type Files } from '#server/features/files/files.ts'
import { invitationsAtSignUp } from '#server/features/organizations/invitations.ts'
import { createOrganizations } from '#server/features/organizations/organizations.ts'
import { providerMetadataMethod } from '#server/features/servers/provider-metadata.ts'
import { createPlatform } from '#server/features/platform/platform.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createCountries } from '#server/platform/network/country.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { silentLog, type Log } from '#server/platform/log/log.ts'
import { createRateLimiter } from '#server/platform/rate-limit.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import type { StreamKind } from '#server/contracts/socket-stream.ts'
import type { HostedSites, Wire, WireOptions } from '#server/wire/options.ts'
import { createWire } from '#server/wire/server.ts'
import { scriptOrigins } from '#server/providers/stripe/browser-script.ts'
import { openStripe, type StripeSettings } from '#server/providers/stripe/stripe-client.ts'
import type { ApiDocument } from '#tests/support/api-validator.ts'
import { watchApi } from '#tests/support/api-watch.ts'
import { cheapHashing } from '#tests/support/cheap-hashing.ts'
import { createProductDatabase } from '#tests/support/database.ts'
import { setPlans } from '#tests/support/plans.ts'
import { plainSecrets } from '#tests/support/secrets.ts'
import { createBrowser, type Browser } from './browser.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { idleActions } from '#tests/support/idle-actions.ts'

/** Password of all test users. */
export const password = 'Correct-Horse-42!'

/** A running server. */
export interface Booted {
  readonly url: string
  readonly port: number
  readonly socketioPort: number | null
  readonly wire: Wire
  readonly documents: OpenDocuments
  readonly accounts: Accounts
  readonly database: Database
  /** For other processes on the same database. */
  readonly connection: PostgresConnection
  readonly billing: Billing
  readonly files: Files
  /** Folder for uploaded contents. */
  readonly filesDir: string
  /** System session for direct store access. */
  readonly system: Session
  /** Errors and warnings in the log. */
  readonly logged: string[]
  /** Emails sent, newest last. */
  readonly mails: { to: string; text: string }[]
  /** A new browser without a session. */
  browser(): Browser
  /** Creates a verified account. */
  person(email: string, options?: { platformAdmin?: boolean; verified?: boolean }): Promise<void>
  /** A browser with that user signed in and the app's page loaded. */
  signedIn(email: string): Promise<Browser>
  /** Creates an organization owned by `owner@SLUG.example`, including the accounts. */
  organization(slug: string, members?: Record<string, string>): Promise<void>
  /** A second server on the same store, like another process; close it before `close`. */
  another(port?: number): Promise<{ port: number; wire: Wire }>
  close(): Promise<void>
}

/** Options of a test server. */
export interface BootOptions {
  env?: Record<string, string>
  methods?: readonly Method[]
  /** Paths below `/hooks/`. */
  routes?: readonly RawRoute[]
  streams?: readonly StreamKind[]
  uploads?: readonly UploadKind[]
  /** Free bytes of the disk that uploads are stored on. */
  freeBytes?: () => Promise<number>
  controllers?: readonly Controller[]
  sites?: HostedSites
  health?: WireOptions['health']
  secondListener?: boolean
  secondPortIsOptional?: boolean
  /** Plans are paid for there. */
  stripe?: StripeSettings
  /** Time of billing, in milliseconds. */
  now?: () => number
  /** Plans with limits are on unless this is false; a new installation has them off. */
  plans?: false
  /** As if several processes shared the database. */
  cluster?: boolean
  /** Requests are random: only responses are checked against the API reference. */
  randomRequests?: true
}

/** Boots everything on free ports with its own database. */
export async function boot(options: BootOptions = {}): Promise<Booted> {
  const test = await createProductDatabase()
  const system = systemSession('schedule')
  const dir = await mkdtemp(join(tmpdir(), 'easydash-wire-'))
  const [port, socketPort] = [await freePort(), await freePort()]
  const generous = JSON.stringify(
    Object.fromEntries(
      ['login_account', 'login_ip', 'reset_account', 'reset_ip', 'signup_ip', 'api_user'].map((name) => [
        name,
        { limit: 100_000, seconds: 1 },
      ]),
    ),
  )
  const config = loadConfig(
    {
      PORT: String(port),
      EASYDASH_DATA_DIR: join(dir, 'data'),
      EASYDASH_METRICS_TOKEN: 'metrics-token-of-the-test',
      ...(options.secondListener ? { SOCKETIO_PORT: String(socketPort) } : {}),
      EASYDASH_RATE_LIMITS: generous,
      EASYDASH_SIGNUP: 'open',
      ...options.env,
    },
    dir,
  )
  const pagesDir = join(dir, 'web')
  await writePages(pagesDir)

  const logged: string[] = []
  const note = (message: string, fields?: object) => void logged.push(`${message} ${describe(fields)}`)
  const log: Log = { ...silentLog, error: note, warn: note }
  const mails: Booted['mails'] = []
  const { database } = test
  let documents: OpenDocuments | null = null
  const rateLimiter = createRateLimiter({ database, limits: config.rateLimits })
  const mailer = {
    async send(_trx: unknown, mail: { to: string; text: string }) {
      mails.push({ to: mail.to, text: mail.text })
    },
  }
  const accounts = createAccounts({
    config,
    database,
    rateLimiter,
    log,
    documents: () => documents as OpenDocuments,
    countries: createCountries(log),
    secrets: plainSecrets,
    invitations: invitationsAtSignUp,
    mailer,
    hashing: cheapHashing,
    sleep: () => Promise.resolve(),
  })
  const organizations = createOrganizations({
    config,
    rateLimiter,
    mailer,
    documents: () => documents as OpenDocuments,
    pendingEmail: accounts.pendingEmail,
    confirmInvited: accounts.confirmInvited,
    signInStatuses: accounts.signInStatuses,
    forgetSecrets: () => Promise.resolve(),
  })
  const billing = createBilling({
    documents: () => documents as OpenDocuments,
    log,
    payments: options.stripe ? { api: openStripe(options.stripe), mailer, sender: config, rateLimiter } : null,
    clock: { now: options.now ?? Date.now },
  })
  const connections = createConnections({
    config,
    rateLimiter,
    log,
    documents: () => documents as OpenDocuments,
    publicKey: () => Promise.resolve('ssh-ed25519 AAAA'),
  })
  const files = createFiles({ documents: () => documents as OpenDocuments, folder: join(dir, 'data', 'files') })
  const uploads = createUploads({
    database,
    kinds: () => options.uploads ?? [],
    folder: join(dir, 'data', 'uploads'),
    machine: 'test',
    ...(options.freeBytes === undefined ? {} : { free: options.freeBytes }),
  })
  const platform = createPlatform({
    config: { ...config, dataDir: dir },
    database,
    log,
    version: '1.2.3',
    schema: { version: 1, isCurrent: () => Promise.resolve(true) },
    figuresOf: billing.figuresOf,
    payments: billing.paymentFigures,
    errors: () => ({ since_start: logged.length, last_hour: logged.length, last_at: null }),
    wordpressVersions: () =>
      Promise.resolve({ versions: ['6.9'], fallback: true, lastTry: Date.UTC(2026, 0, 2, 3, 4, 5), lastFailed: true }),
    webProcesses: () => Promise.resolve([]),
    thumbnails: () => ({ state: 'broken', nextTry: Date.UTC(2026, 0, 2, 3, 4, 5) }),
  })
  const controllers = [
    ...(accounts.controllers ?? []),
    ...organizations.controllers,
    ...(connections.controllers ?? []),
    ...billing.controllers,
    ...platform.controllers,
    ...files.controllers,
    ...(options.controllers ?? []),
  ]
  documents = await createDocuments({
    database,
    doctypes,
    log,
    mask: (value) => value,
    spendBytes: (key, bytes) => rateLimiter.spend('written_bytes', key, bytes),
    controllers: [...controllers, ...idleActions(doctypes, controllers)],
    secrets: {
      seal: (_scope, aad, text) => plainSecrets.seal(aad, text),
      open: (_scope, aad, sealed) => plainSecrets.open(aad, sealed),
    },
  })
  const store = documents
  await accounts.prepare()
  await billing.prepare()
  if (options.plans !== false) await setPlans(store, system, true)
  const wireOptions: WireOptions = {
    config,
    secondPortIsOptional: options.secondPortIsOptional ?? false,
    version: '1.2.3',
    log,
    documents: store,
    sessions: accounts.sessions,
    rateLimiter,
    methods: [
      ...accounts.methods,
      ...organizations.methods,
      ...billing.methods,
      ...platform.methods,
      providerMetadataMethod,
      ...(createActivity().methods ?? []),
      ...(options.methods ?? []),
    ],
    rawRoutes: [...(accounts.routes ?? []), ...(billing.routes ?? []), ...(options.routes ?? [])],
    streams: options.streams ?? [],
    sites: options.sites ?? null,
    files: files.store,
    uploads: uploads.store,
    health: options.health ?? {
      ready: () => Promise.resolve({ ok: true, checks: { database: 'ok' } }),
      metrics: () => 'up 1\n',
    },
    pages: {
      dir: pagesDir,
      boot: (session) =>
        Promise.resolve({ product_name: 'Easydash', for: session.user, trap: '</script><!--__NONCE__' }),
      paymentOrigins: options.stripe ? scriptOrigins(options.stripe.apiBase) : null,
    },
    clusterPool: options.cluster ? database.pool : null,
  }
  const wire = await createWire(wireOptions)
  const published = await wire.fastify.inject('/api/openapi.json')
  const watch = watchApi(wire.fastify.server, published.json<ApiDocument>(), {
    // Neither is part of the protocol.
    skip: ({ headers, url }) =>
      Boolean(options.sites?.ownsHost(headers.host ?? '')) ||
      /^\/(?:hooks|webhooks|private\/invoices|api\/geo)\//.test(url ?? ''),
    responsesOnly: options.randomRequests === true,
  })
  const opened = await wire.listen()

  const booted: Booted = {
    url: config.url,
    port: opened.port,
    socketioPort: opened.socketioPort,
    wire,
    documents: store,
    accounts,
    database,
    connection: test.connection,
    billing,
    files,
    filesDir: join(dir, 'data', 'files'),
    system,
    logged,
    mails,
    browser: () => createBrowser(config.url),
    person: (email, rights = {}) =>
      accounts.createAccount({ email, first_name: 'Test', last_name: 'Person', password, ...rights }),
    async signedIn(email) {
      const browser = createBrowser(config.url)
      await browser.app.auth().loginWithUsernamePassword({ username: email, password })
      await browser.loadPage()
      return browser
    },
    async another(onPort) {
      const other = await createWire({
        ...wireOptions,
        config: { ...config, port: onPort ?? (await freePort()), socketioPort: 0 },
      })
      try {
        return { ...(await other.listen()), wire: other }
      } catch (error) {
        await other.close()
        throw error
      }
    },
    organization: (slug, members = {}) => makeOrganization(booted, slug, members),
    async close() {
      await wire.close()
      await store.close()
      await test.drop()
      await rm(dir, { recursive: true, force: true })
      assertDocumented(watch.problems)
    },
  }
  return booted
}

/** Fails if a request or response of a test does not match the API reference. */
function assertDocumented(problems: readonly string[]): void {
  if (problems.length === 0) return
  throw new Error(`Not as /api/openapi.json says:\n${[...new Set(problems)].join('\n')}`)
}

async function makeOrganization(booted: Booted, slug: string, members: Record<string, string>): Promise<void> {
  const owner = `owner@${slug}.example`
  await booted.person(owner)
  await booted.documents.transaction({ ...booted.system, user: owner }, (tx) =>
    tx.insert(OrganizationDoctype, { title: slug, slug }),
  )
  for (const [email, role] of Object.entries(members)) {
    await booted.person(email)
    await booted.documents.transaction(booted.system, (tx) =>
      tx.insert('Organization Member', {
        parent: slug,
        parenttype: 'Organization',
        parentfield: 'members',
        user: email,
        organization_role: role,
      }),
    )
  }
}

function describe(fields: object | undefined): string {
  const error = fields && 'error' in fields ? fields.error : undefined
  return error instanceof Error ? `${error.message}\n${error.stack}` : JSON.stringify(fields ?? {})
}

async function writePages(dir: string): Promise<void> {
  await mkdir(join(dir, 'assets'), { recursive: true })
  await mkdir(join(dir, '.vite'))
  const script = `console.log(${JSON.stringify('x'.repeat(2000))})`
  await Promise.all([
    writeFile(
      join(dir, 'index.html'),
      `<!doctype html><html><head><link rel="icon" href="/web/favicon.svg" type="image/svg+xml" />
<meta property="csp-nonce" nonce="{{ nonce }}"><link rel="stylesheet" href="/web/assets/app-1.css" nonce="{{ nonce }}">
<script nonce="__NONCE__">window.csrf_token = "__CSRF_TOKEN__";window.easydash=__BOOT__</script>
<script type="module" crossorigin src="/web/assets/app-1.js"></script></head><body><div id="root"></div><!-- ${'As long as a real one. '.repeat(200)} --></body></html>`,
    ),
    writeFile(join(dir, 'assets', 'app-1.js'), script),
    writeFile(join(dir, 'assets', 'app-1.js.br'), brotliCompressSync(script)),
    writeFile(join(dir, 'assets', 'app-1.css'), 'body{}'),
    writeFile(join(dir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    writeFile(join(dir, 'assets', 'shell-1.js'), script),
    writeFile(
      join(dir, '.vite', 'manifest.json'),
      JSON.stringify({ 'shell/frame/app-shell.tsx': { file: 'assets/shell-1.js' } }),
    ),
  ])
}

/** A port that is free at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
