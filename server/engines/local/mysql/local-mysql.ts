import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createOneByOne } from '#server/platform/one-by-one.ts'
import { findMysql, type MysqlPrograms } from '#server/platform/mysql/find-mysql.ts'
import {
  dumpDatabase,
  loadStatements,
  runSql,
  type DumpTarget,
  type MysqlAddress,
} from '#server/platform/mysql/mysql-client.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type Capability } from '../../engine.ts'
import { mysqlFailure, statementFailure } from './mysql-failures.ts'
import { endConnections, endOverlong } from './site-connections.ts'
import type { LocalEngineLog } from '../options.ts'
import { clearStatements, namesStatement } from './clear-statements.ts'
import { assertApart, objectsOf, takeTables, type TakenTables } from './take-tables.ts'
import { operatorsServer, ownServer, type AdminLogin, type OpenServer } from './admin-login.ts'
import {
  closeStatements,
  createStatements,
  databaseOf,
  dropReaderStatements,
  dropStatements,
  emptyStatements,
  lockStatements,
  newReaderLogin,
  newSiteLogin,
  newViewerLogin,
  parseNames,
  parseSize,
  passwordStatements,
  readerStatements,
  routinesStatement,
  sizeStatement,
  viewerOf,
  viewerStatements,
  type SiteLogin,
} from './site-statements.ts'

/** The databases of sites on MySQL or MariaDB. Every failure is an EngineError `unavailable`. */
export interface LocalMysql {
  /** Whether sites can be on it. */
  readonly capability: Capability
  /** Where the outbound guard leads a site's connections to its database; starts the server if necessary. */
  address(): Promise<MysqlAddress>
  /** Creates the database and the user of a site, in place of earlier ones. The password is stored nowhere else. */
  create(site: string, signal?: AbortSignal): Promise<SiteLogin>
  /** Removes all tables. */
  empty(site: string, signal?: AbortSignal): Promise<void>
  /** Removes tables and views, for a dump that is loaded in their place; routines, which a dump doesn't have, stay. */
  clear(site: string): Promise<void>
  /** Gives the site's user the password of a login. */
  setPassword(login: SiteLogin): Promise<void>
  /** Names of the views of a site. */
  views(site: string): Promise<readonly string[]>
  /** Throws EngineError `conflict` if a foreign key ties some tables to others, in the database of one of the sites. */
  assertApart(sites: readonly string[], tables: readonly string[]): Promise<void>
  /** Puts tables of another site in place of those of a site, see `takeTables`. */
  take(site: string, from: TakenTables, signal?: AbortSignal): Promise<void>
  /** Removes database and user; nothing happens if there are none. */
  drop(site: string, signal?: AbortSignal): Promise<void>
  /** Lets the site's user connect, or not; then its open connections are ended, whatever they are doing. */
  setLocked(site: string, locked: boolean, signal?: AbortSignal): Promise<void>
  /** What reads tables and may do nothing else; made when it is first needed, and gone when the site stops. */
  viewer(site: string): Promise<SiteLogin>
  /** Size of a site's database in bytes. Also ends statements of the site that run for too long. */
  bytes(site: string): Promise<number>
  /** Names of the procedures and functions of a site, at most 50: a dump doesn't have them. */
  routines(site: string): Promise<readonly string[]>
  /** The folder with the files of a site's database, whose names and number the site determines; null: out of reach. */
  folder(site: string): Promise<string | null>
  /** Writes a consistent dump into a new file, of which nothing is left if it fails or gets larger than `maxBytes`. */
  dump(site: string, to: DumpTarget): Promise<void>
  /** Executes the statements of a dump as the site's own user: it may come from the site. */
  load(login: SiteLogin, from: { readonly content: Readable; readonly signal: AbortSignal }): Promise<void>
  /** Stops the server, if the engine started one. */
  stop(): Promise<void>
}

/** Of an engine that offers none. */
export const noMysql: LocalMysql = createLocalMysql({
  capability: { supported: false, reason: 'This installation has no MySQL for local sites.' },
  open: () => Promise.reject(new Error('There is no database server.')),
  report: () => undefined,
})

/** Options of the databases. */
export interface LocalMysqlOptions {
  readonly dataDir: string
  readonly log: LocalEngineLog
  /** `EASYDASH_LOCAL_MYSQL_URL`: an administrator's login at the operator's server; null: a server of our own. */
  readonly url: string | null
  /** Connections that all sites together can have to a server of our own. */
  readonly siteConnections?: number
  /** How to reach the server, for tests. */
  readonly openServer?: () => Promise<OpenServer>
}

/** A site that makes this slow must not delay the measurement of others. */
const measureWithinMs = 15_000

interface ChangeOptions {
  readonly signal?: AbortSignal | undefined
  /** Locks the site's user and ends its connections first. */
  readonly closed?: boolean
}

/** Looks for the installed programs. A server of our own starts with the first site that needs it. */
export async function openLocalMysql(options: LocalMysqlOptions): Promise<LocalMysql> {
  const programs = await findMysql()
  const capability = mysqlCapability(programs, options.url)
  return createLocalMysql({
    capability,
    open: options.openServer ?? (() => openServer(programs, options)),
    report: (error) => options.log.error('The database server of local sites could not be used', { error }),
  })
}

function createLocalMysql({
  capability,
  open: openOnce,
  report,
}: {
  readonly capability: Capability
  open(): Promise<OpenServer>
  report(error: unknown): void
}): LocalMysql {
  let opening: Promise<OpenServer> | null = null
  const open = (): Promise<OpenServer> => {
    opening ??= openOnce().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
  const pending = new Set<Promise<unknown>>()
  const use = async <T>(work: (login: AdminLogin) => Promise<T>, failure = mysqlFailure): Promise<T> => {
    if (!capability.supported) throw unavailable(capability.reason)
    const running = open().then((server) => work(server.login()))
    pending.add(running)
    try {
      return await running
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw error
      report(error)
      throw failure(error)
    } finally {
      pending.delete(running)
    }
  }
  const turns = createOneByOne()
  const viewers = new Map<string, SiteLogin>()
  /** One change of a site after the other: a lock must not overtake the unlock that follows. */
  const change = (site: string, sql: (from: string) => string, how: ChangeOptions = {}): Promise<void> =>
    turns(site, () =>
      use(async (login) => {
        // An open connection outlives the lock of its user, and could keep a table locked for ever.
        if (how.closed === true) {
          viewers.delete(site)
          await runSql(login, closeStatements(site, login.from), how.signal)
          await endConnections(login, [databaseOf(site), viewerOf(site)], how.signal)
        }
        await runSql(login, sql(login.from), how.signal)
      }),
    )

  return {
    capability,
    address: () => use(({ address }) => Promise.resolve(address)),
    create: async (site, signal) => {
      const created = newSiteLogin(site)
      await change(site, (from) => createStatements(created, from), { closed: true, signal })
      return created
    },
    empty: (site, signal) =>
      change(site, (from) => emptyStatements(site) + lockStatements(site, from, false), { closed: true, signal }),
    clear: (site) =>
      turns(site, () =>
        use(async (login) => {
          const names = await runSql(login, namesStatement(site))
          await runSql(login, clearStatements(site, names))
        }),
      ),
    setPassword: (login) => use(async ({ from, ...own }) => void (await runSql(own, passwordStatements(login, from)))),
    views: (site) => use(async (login) => (await objectsOf(login, databaseOf(site))).views),
    assertApart: (sites, tables) => use((login) => assertApart(login, sites, tables)),
    take: (site, from, signal) => turns(site, () => use((login) => takeTables(login, site, from, signal))),
    drop: (site, signal) => change(site, (from) => dropStatements(site, from), { closed: true, signal }),
    setLocked: (site, locked, signal) =>
      change(site, (from) => lockStatements(site, from, locked), { closed: locked, signal }),
    viewer: (site) => turns(site, async () => viewers.get(site) ?? use((login) => makeViewer(viewers, site, login))),
    bytes: (site) =>
      use(async (login) => {
        for (const user of [databaseOf(site), viewerOf(site)]) await endOverlong(login, user)
        return parseSize(await runSql(login, sizeStatement(site), undefined, measureWithinMs))
      }),
    routines: (site) => use(async (login) => parseNames(await runSql(login, routinesStatement(site)))),
    folder: async (site) => {
      const { dataFolder } = await open()
      return dataFolder === undefined ? null : join(dataFolder, databaseOf(site))
    },
    dump: (site, to) =>
      use(async (login) => {
        const reader = newReaderLogin(site)
        await runSql(login, readerStatements(reader, login.from), to.signal)
        try {
          await dumpDatabase({ ...login, user: reader.user, password: reader.password }, reader.database, to)
        } finally {
          await runSql(login, dropReaderStatements(reader, login.from))
        }
      }),
    load: ({ database, user, password }, from) =>
      use((login) => loadStatements({ ...login, user, password }, database, from), statementFailure),
    stop: async () => {
      const server = await opening?.catch(() => null)
      // Sites that went to sleep are being locked.
      await Promise.allSettled(pending)
      opening = null
      await server?.stop()
    },
  }
}

async function makeViewer(viewers: Map<string, SiteLogin>, site: string, login: AdminLogin): Promise<SiteLogin> {
  const made = newViewerLogin(site)
  await runSql(login, viewerStatements(made, login.from))
  viewers.set(site, made)
  return made
}

function openServer(programs: MysqlPrograms | null, options: LocalMysqlOptions): Promise<OpenServer> {
  if (programs === null) return Promise.reject(new Error('No client programs are installed.'))
  if (options.url !== null) return Promise.resolve(operatorsServer(options.url, programs))
  if (programs.server === null) return Promise.reject(new Error('No server is installed.'))
  return ownServer(programs, programs.server, options)
}

/**
 * Whether sites can be on MySQL, or why not and what to do.
 * @param url `EASYDASH_LOCAL_MYSQL_URL`
 */
export function mysqlCapability(programs: MysqlPrograms | null, url: string | null): Capability {
  if (programs === null)
    return {
      supported: false,
      reason: 'MariaDB or MySQL is not installed on this machine. Install mariadb-server, then start Easydash again.',
    }
  if (url !== null) return { supported: true }
  if (programs.server === null)
    return {
      supported: false,
      reason: 'This machine has no MariaDB or MySQL server. Install mariadb-server, then start Easydash again.',
    }
  if (programs.server.isRecentEnough) return { supported: true }
  return {
    supported: false,
    reason: 'The database server of this machine is too old. Install MariaDB 10.4 or MySQL 8.0, or newer.',
  }
}

function unavailable(reason: string): EngineError {
  return new EngineError('unavailable', msg`The database server of this machine can’t be used: ${reason}`, {
    nextAction: msg`Look at mysql.log in the folder of logs, or ask the person who runs Easydash.`,
  })
}
