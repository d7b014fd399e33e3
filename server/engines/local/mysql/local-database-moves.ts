import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { SiteDatabaseMoves } from '../../site-database-moves.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { changeStep, inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { databaseHost } from '../outbound/policy.ts'
import { dumpPath } from '../portable/dump-path.ts'
import { forgetDump, writeDump } from '../portable/write-dump.ts'
import { importedDump } from '../portable/import-database.ts'
import { requestSite } from '../site-operations.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { dumpLimit } from './dump-limit.ts'
import { compareContent, importWhole, type MoveLogin } from './move-scripts.ts'
import { assertMysql } from './refusals.ts'
import { runMove } from './run-move.ts'
import { forgetAllDumps } from './saved-dump.ts'

type Work = (record: SiteRecord, step: StepContext) => Promise<void>

/** What wp-config.php has where the database is SQLite; unused, but WordPress needs the names. */
const unused = { database: 'wordpress', user: '', password: '', host: 'localhost' } as const

const nameOf = (kind: SiteDatabaseKind): string => (kind === 'mysql' ? 'MySQL' : 'SQLite')
const kindOf = ({ database }: Pick<SiteRecord, 'database'>): SiteDatabaseKind => database ?? 'sqlite'
const otherThan = (kind: SiteDatabaseKind): SiteDatabaseKind => (kind === 'mysql' ? 'sqlite' : 'mysql')

/** Moves of local sites. The record's `databaseMove` says what to take back, also after a crash. */
export function createLocalDatabaseMoves(context: LocalContext): SiteDatabaseMoves {
  return {
    steps: (site, to) => moveSteps(context, site, to),
    finish: (site) => inTurn(site.id, () => finish(context, site)),
    kind: async (site) => kindOf(existingRecord(context.store, site)),
    undo: (site) => inTurn(site.id, () => undo(context, site)),
  }
}

function moveSteps(context: LocalContext, site: SiteRef, to: SiteDatabaseKind): EngineStep[] {
  assertMysql(context.mysql, site)
  const step = (key: string, label: string, limits: { weight: number; deadlineSeconds: number }, work: Work) =>
    changeStep(context, site.id, { key, label, ...limits }, async (own) =>
      work(await claimMove(context, site, to), own),
    )
  return [
    step('pause', 'Keep visitors out', { weight: 1, deadlineSeconds: 60 }, async (record, own) => {
      // Requests that began before see the end of their work, and the next start of the process can reach the server.
      await context.awake.sleep(record.id)
      own.log('Visitors see a page that says the site is back in a moment')
    }),
    step('copy', 'Copy the content and compare it', { weight: 8, deadlineSeconds: 3_600 }, (record, own) =>
      copy(context, record, to, own),
    ),
    step('check', 'Check that the site answers', { weight: 2, deadlineSeconds: 180 }, (record, own) =>
      checkSite(context, record, own),
    ),
  ]
}

/** The record, whose move began now or before a restart. */
async function claimMove(context: LocalContext, site: SiteRef, to: SiteDatabaseKind): Promise<SiteRecord> {
  const { store } = context
  const record = managedRecord(context, site)
  if (record.databaseMove?.finished === true) await removeBefore(context, record)
  const changed = await store.change(record.id, (now) => {
    if (now.databaseMove?.to === to && now.databaseMove.finished !== true) return now
    if (!canChange(now) || now.databaseMove !== undefined || kindOf(now) === to)
      throw new EngineError('conflict', msg`The database can only be moved to another one while the site is ready.`, {
        nextAction: msg`Refresh the page.`,
      })
    return { ...now, databaseMove: { to } }
  })
  if (changed === null)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  return changed
}

/** Copies, compares and switches in one step: the password of a new database is nowhere else until it is in use. */
async function copy(context: LocalContext, record: SiteRecord, to: SiteDatabaseKind, step: StepContext): Promise<void> {
  if (record.databaseMove?.switched === true) return
  const from = otherThan(to)
  const { signal } = step
  // An earlier attempt may have been cut off anywhere.
  await runMove(context, record, { do: 'back', from }, signal)
  await runMove(context, record, { do: 'check', to }, signal)
  const login = await (to === 'mysql' ? intoMysql : intoSqlite)(context, record, step)
  const { tables, rows } = await compareContent(context, record, { login, signal })
  step.log(`Compared ${tables} tables with ${rows} rows: all of them are the same`)
  await runMove(context, record, { do: 'use', to, login: login ?? unused }, signal)
  await context.store.change(record.id, ({ database: _before, ...now }) => ({
    ...now,
    ...(to === 'mysql' ? { database: 'mysql' as const } : {}),
    databaseMove: { to, switched: true },
  }))
  // PHP remembers the configuration and the drop-in that were there.
  await context.awake.sleep(record.id)
  context.storage.invalidate(record.id)
  step.log(`The site uses ${nameOf(to)}`)
}

async function intoMysql(context: LocalContext, record: SiteRecord, step: StepContext): Promise<MoveLogin> {
  const { mysql, store, owners } = context
  try {
    const { skipped } = await writeDump(context, record, step)
    if (skipped.length > 0) {
      throw new EngineError('invalid', msg`MySQL can’t have these tables: ${skipped.slice(0, 10)}`, {
        nextAction: msg`Delete them if the site does not need them, then try again.`,
      })
    }
    const login = await mysql.create(record.id, step.signal)
    const file = await openInPlace(join(store.paths(record.id).www, dumpPath), owners.userOf(record))
    if (file === null)
      throw new EngineError('unavailable', msg`The dump of the database is gone.`, { nextAction: msg`Try again.` })
    await mysql.load(login, { content: file.createReadStream(), signal: step.signal })
    return { ...login, host: databaseHost }
  } finally {
    await forgetDump(context, record)
  }
}

async function intoSqlite(context: LocalContext, record: SiteRecord, step: StepContext): Promise<null> {
  const { mysql, store, putOwn } = context
  const path = join(store.paths(record.id).folder, `move-${randomBytes(4).toString('hex')}.sql`)
  const { signal } = step
  try {
    await mysql.dump(record.id, { path, signal, maxBytes: await dumpLimit(context, record) })
    await runMove(context, record, { do: 'clean' }, signal)
    await putOwn(record, importedDump, path, signal)
    await importWhole(context, record, step)
  } finally {
    await rm(path, { force: true })
    await runMove(context, record, { do: 'clean' })
    context.storage.invalidate(record.id)
  }
  // The one in wp-config.php.
  return null
}

async function checkSite(context: LocalContext, record: SiteRecord, { signal, log }: StepContext): Promise<void> {
  const { status, body, tookMs } = await requestSite(context, { ...record, server: thisMachine }, '/', { signal })
  if (status >= 500 || (status === 200 && !/<\/html>/i.test(body))) {
    throw new EngineError('unavailable', msg`On its new database, the site answered with status ${status}.`, {
      nextAction: msg`Look at its error log, then try again.`,
    })
  }
  log(`The home page answered in ${Math.round(tookMs)} ms`)
}

async function finish(context: LocalContext, site: SiteRef): Promise<void> {
  const { store, awake } = context
  const record = await store.change(existingRecord(store, site).id, (now) =>
    now.databaseMove?.switched === true ? { ...now, databaseMove: { ...now.databaseMove, finished: true } } : now,
  )
  if (record?.databaseMove?.finished !== true) return
  await removeBefore(context, record)
  awake.running(record.id)?.lowerPriority()
}

/** The site has its new database, whatever becomes of the one before; the next move or the end of the site removes it, too. */
async function removeBefore(context: LocalContext, record: SiteRecord): Promise<void> {
  const { store, mysql, options, storage } = context
  const to = record.databaseMove?.to
  try {
    await runMove(context, record, { do: 'forget', to })
    if (to === 'sqlite') {
      await forgetAllDumps(context, record)
      await mysql.drop(record.id)
    }
    await store.change(record.id, ({ databaseMove: _done, sqlUndo: _forgotten, ...now }) => now)
  } catch (error) {
    options.log.warn('The database a site had before could not be removed', { site: record.id, error })
  }
  storage.invalidate(record.id)
}

async function undo(context: LocalContext, site: SiteRef): Promise<SiteDatabaseKind> {
  const { store, mysql, awake } = context
  const record = existingRecord(store, site)
  const { databaseMove } = record
  if (databaseMove === undefined) return kindOf(record)
  if (databaseMove.finished === true) {
    await removeBefore(context, record)
    return databaseMove.to
  }
  const from = otherThan(databaseMove.to)
  await awake.sleep(record.id)
  await runMove(context, record, { do: 'back', from })
  if (from === 'sqlite') await mysql.drop(record.id)
  await store.change(record.id, ({ databaseMove: _undone, database: _new, ...now }) => ({
    ...now,
    ...(from === 'mysql' ? { database: 'mysql' as const } : {}),
  }))
  await awake.sleep(record.id)
  context.storage.invalidate(record.id)
  return from
}
