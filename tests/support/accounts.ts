import pg from 'pg'
import { cheapHashing } from './cheap-hashing.ts'
import { createProductDatabase, type TestDatabase } from './database.ts'
import { plainSecrets } from './secrets.ts'
import { createDocuments } from '#server/documents/documents.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Method, MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { createCountries } from '#server/platform/network/country.ts'
import type { Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { createRateLimiter, type RateLimiter } from '#server/platform/rate-limit.ts'
import { defaultRateLimits } from '#server/platform/rate-limits.ts'
import { AppError } from '#shared/errors.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createAccounts, type Accounts } from '#server/features/accounts/accounts.ts'
import type { AccountMail, Hashing } from '#server/features/accounts/deps.ts'
import type { ProviderNetwork } from '#server/features/accounts/login-provider/openid-provider.ts'
import { invitationsAtSignUp } from '#server/features/organizations/invitations.ts'
import { msg } from '#shared/localized-message.ts'
import { idleActions } from './idle-actions.ts'

/** Meets the password rules; used for every account in the tests. */
export const goodPassword = 'Correct-Horse-42!'

/** A browser: keeps its cookie and calls methods the way the wire does. */
export interface Visitor {
  /** Calls a method by full name or last segment; throws what the method throws. */
  call<T = Record<string, unknown>>(method: string, params?: Record<string, unknown>): Promise<T>
  /** The session of the cookie, as the next request would resolve it; null when signed out. */
  session(): Promise<Session | null>
  sid: string | null
  csrfToken: string | null
  /** Value of the device cookie. */
  device: string | null
  notices: string[]
  extras: Record<string, unknown>
}

/** Accounts (and optional further features) on a separate database. */
export interface AccountsFixture {
  accounts: Accounts
  documents: OpenDocuments
  database: Database
  /** All mails sent so far, oldest first. */
  mails: AccountMail[]
  rateLimiter: RateLimiter
  /** A new browser with an IP address. */
  visitor(ip?: string, cookies?: { device: string | null }): Visitor
  /** A verified account with `goodPassword`. */
  person(email: string, options?: { verified?: boolean; platformAdmin?: boolean }): Promise<void>
  /** A browser signed in as that user. */
  loggedIn(email: string, ip?: string): Promise<Visitor>
  /** The token in the link of the latest mail to an address. */
  linkToken(to: string): string
  /** A session for internal work. */
  system: Session
  close(): Promise<void>
}

/** Options of `createAccountsFixture`. */
export interface SettingOptions {
  signup?: 'open' | 'invite'
  smtpUrl?: string
  /** Without it, limits are far above what tests need. */
  realLimits?: boolean
  /** Clock for time-based codes and for limits. */
  now?: () => number
  /** Overrides for the password hashing. */
  hashing?: Partial<Hashing>
  /** Waits for the shortest duration of an answer; without it, nothing waits. */
  sleep?: (ms: number) => Promise<unknown>
  /** How login providers of organizations are reached. */
  providerNetwork?: ProviderNetwork
  further?: { controllers?: readonly Controller[]; methods?: (accounts: Accounts) => readonly Method[] }
}

const generous = Object.fromEntries(
  Object.keys(defaultRateLimits).map((name) => [name, { limit: 100, seconds: 1 }]),
) as unknown as typeof defaultRateLimits

const systemSession: Session = {
  user: 'System',
  kind: 'system',
  organization: null,
  platformAdmin: false,
  verified: true,
  fullName: 'System',
  via: 'schedule',
  ip: null,
  id: null,
  reauthAt: null,
}

/** One database per worker, emptied before each test; it is removed with the run's server. */
let shared: Promise<TestDatabase> | null = null

/**
 * Empties every table, with the triggers that protect the activity log disabled. For few rows, DELETE is faster than
 * TRUNCATE.
 */
async function empty({ superuser }: TestDatabase): Promise<void> {
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    await client.query(`set session_replication_role = replica;
      do $$ declare t text; begin
      for t in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'easydash_schema' loop
        execute format('delete from %I', t);
      end loop; end $$`)
  } finally {
    await client.end()
  }
}

/** Opens the document store with the accounts feature on an empty database. */
export async function createAccountsFixture(options: SettingOptions = {}): Promise<AccountsFixture> {
  shared ??= createProductDatabase()
  const { database } = await shared
  await empty(await shared)
  const mails: AccountMail[] = []
  let documents: OpenDocuments | null = null
  const rateLimiter = createRateLimiter({
    database,
    limits: options.realLimits ? defaultRateLimits : generous,
    ...(options.now ? { now: options.now } : {}),
  })
  const accounts = createAccounts({
    config: {
      url: 'http://dash.test',
      signup: options.signup ?? 'open',
      productName: 'Easydash',
      smtpUrl: options.smtpUrl ?? null,
    },
    database,
    documents: () => documents as OpenDocuments,
    mailer: { send: (_trx, mail) => Promise.resolve(mails.push(mail)) },
    rateLimiter,
    countries: createCountries(silentLog),
    secrets: plainSecrets,
    invitations: invitationsAtSignUp,
    log: silentLog,
    hashing: { ...cheapHashing, ...options.hashing },
    sleep: options.sleep ?? (() => Promise.resolve()),
    ...(options.now ? { now: options.now } : {}),
    ...(options.providerNetwork ? { providerNetwork: options.providerNetwork } : {}),
  })
  const controllers = [...(accounts.controllers ?? []), ...(options.further?.controllers ?? [])]
  documents = await createDocuments({
    database,
    doctypes,
    log: silentLog,
    controllers: [...controllers, ...idleActions(doctypes, controllers)],
    secrets: {
      seal: (_scope, aad, text) => plainSecrets.seal(aad, text),
      open: (_scope, aad, sealed) => plainSecrets.open(aad, sealed),
    },
    mask: (value) => value,
  })
  const store = documents
  const methods = [...accounts.methods, ...(options.further?.methods?.(accounts) ?? [])]
  await accounts.prepare()

  const fixture: AccountsFixture = {
    accounts,
    documents: store,
    database,
    mails,
    rateLimiter,
    system: systemSession,
    visitor: (ip = '203.0.113.7', { device } = { device: null }) => createVisitor(accounts, store, methods, ip, device),
    person: (email, rights = {}) =>
      accounts.createAccount({ email, first_name: 'Test', last_name: 'Person', password: goodPassword, ...rights }),
    async loggedIn(email, ip) {
      const visitor = fixture.visitor(ip)
      await visitor.call('login', { usr: email, pwd: goodPassword })
      return visitor
    },
    linkToken(to) {
      const mail = mails.findLast((one) => one.to === to)
      const token = /[?&](?:token|key)=([\w-]{43})/.exec(mail?.text ?? '')?.[1]
      if (token === undefined) throw new Error(`No link was sent to ${to}`)
      return token
    },
    close: () => store.close(),
  }
  return fixture
}

function createVisitor(
  accounts: Accounts,
  documents: OpenDocuments,
  methods: readonly Method[],
  ip: string,
  device: string | null,
): Visitor {
  const userAgent = 'test browser'
  const found = async () => (visitor.sid === null ? null : accounts.sessions.resolveCookie(visitor.sid, ip))
  const visitor: Visitor = {
    sid: null,
    csrfToken: null,
    device,
    notices: [],
    extras: {},
    session: async () => (await found())?.session ?? null,
    async call<T>(name: string, params: Record<string, unknown> = {}): Promise<T> {
      const method = methods.find((one) => one.name === name || one.name.endsWith(`.${name}`))
      if (!method) throw new Error(`There is no method ${name}`)
      const session = (await found())?.session ?? guest(ip)
      assertMayCall(method, session)
      const context: MethodContext = {
        session,
        documents,
        ip,
        machineToken: null,
        userAgent,
        device: visitor.device,
        async rememberDevice(user) {
          visitor.device = await accounts.sessions.rememberDevice(user, { ip, device: visitor.device })
        },
        async signIn(user, proof = {}) {
          const made = await accounts.sessions.create(user, { ip, userAgent, continues: session.id, ...proof })
          if (session.id !== null) await accounts.sessions.end(session.id)
          visitor.sid = made.sid
          visitor.csrfToken = made.csrfToken
          if (proof.providerLink === undefined) await context.rememberDevice(user)
        },
        async signOut() {
          if (session.id !== null) await accounts.sessions.end(session.id)
          visitor.sid = null
        },
        notice: (message) => void visitor.notices.push(message),
        extra: (key, value) => {
          visitor.extras[key] = value
        },
      }
      return (await method.run(params, context)) as T
    },
  }
  return visitor
}

/** Access check of the wire's registry before it runs a method. */
function assertMayCall(method: Method, session: Session): void {
  const allowed = {
    guest: true,
    self: session.kind !== 'guest',
    verified: session.verified,
    member: session.verified && session.organization !== null,
    platform: session.platformAdmin,
  }
  if (!allowed[method.access]) throw new AppError('forbidden', msg`Not permitted: ${method.name}`)
}

function guest(ip: string): Session {
  return {
    user: 'Guest',
    kind: 'guest',
    organization: null,
    platformAdmin: false,
    verified: false,
    fullName: 'Guest',
    via: 'web',
    ip,
    id: null,
    reauthAt: null,
  }
}
