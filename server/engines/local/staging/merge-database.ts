import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { databasePlan, type DatabasePlan } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { PushChoice } from '../../site-staging.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { PlacedFile } from '../trees/place-files.ts'
import { runScript } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'
import { withoutAccounts } from '../../database-problems.ts'
import { baselineOf } from './baseline.ts'
import { databaseFolder, databaseName, withDatabaseFile, writeSnapshot } from './database-snapshot.ts'

/** Names of the databases that are compared, in the folder of the site's own. They are hidden, so never served. */
interface Beside {
  /** That of the site itself; on MySQL a copy of it. */
  readonly main: string
  readonly base: string
  readonly start: string
  readonly stage: string
  readonly work: string
}

const prefixOf = (staging: SiteRecord) => `.ht.easydash-push-${staging.id}-`

/** New names each time: a running PHP remembers which were removed. */
function namesBeside({ live, staging }: Pair): Beside {
  const prefix = `${prefixOf(staging)}${randomBytes(4).toString('hex')}`
  return {
    main: live.database === 'mysql' ? `${prefix}-main.sqlite` : databaseName,
    base: `${prefix}-base.sqlite`,
    start: `${prefix}-start.sqlite`,
    stage: `${prefix}-stage.sqlite`,
    work: `${prefix}-work.sqlite`,
  }
}

/** Both sites of a push. */
export interface Pair {
  readonly live: SiteRecord
  readonly staging: SiteRecord
}

/**
 * Compares the databases of both sites in the process of the live one, and calls `work` with the plan. The databases beside
 * its own are removed afterwards. `from`: a folder whose SQLite database replaces that of the site first.
 */
export async function withComparedDatabases(
  context: LocalContext,
  pair: Pair,
  step: StepContext,
  options: { readonly from?: string; readonly seconds: number },
  work: (plan: DatabasePlan, beside: Beside) => Promise<void>,
): Promise<void> {
  const beside = namesBeside(pair)
  const { trees, store, storage, awake } = context
  const { live } = pair
  const remove = () =>
    trees.run('unplace', { root: store.paths(live.id).www, below: databaseFolder, prefix: prefixOf(pair.staging) })
  await remove()
  try {
    await placeDatabases(context, pair, beside, { ...options, signal: step.signal })
    await work(await compareDatabases(context, pair, beside, step, options.seconds), beside)
  } finally {
    await remove()
    storage.invalidate(live.id)
    awake.running(live.id)?.lowerPriority()
  }
}

/** Compares databases that lie beside that of the live site, in parts of some seconds. */
export async function compareDatabases(
  context: LocalContext,
  pair: Pair,
  beside: Beside,
  step: Pick<StepContext, 'signal' | 'progress'>,
  seconds: number,
): Promise<DatabasePlan> {
  let after: unknown = null
  let runs = 0
  do {
    step.signal.throwIfAborted()
    after = (await merge(context, pair, beside, { do: 'scan', after, seconds }, step))['after'] ?? null
    runs += 1
    step.progress(0.3 + 0.4 * (1 - 1 / runs))
  } while (after !== null)
  const { plan } = await merge(context, pair, beside, { do: 'judge', seconds }, step)
  const parsed = z.safeParse(databasePlan, plan)
  if (!parsed.success) throw unreadable()
  return parsed.data
}

/** Applies what was compared. */
export async function applyDatabase(
  context: LocalContext,
  pair: Pair,
  beside: Beside,
  choice: PushChoice,
  step: StepContext,
): Promise<void> {
  let after: unknown = null
  let runs = 0
  do {
    step.signal.throwIfAborted()
    const call = { do: 'apply', after, seconds: 20, choice: { take: choice.take, all: choice.takeAll } }
    after = (await merge(context, pair, beside, call, step))['after'] ?? null
    crashPoint('local.push/applied')
    runs += 1
    step.progress(0.7 + 0.3 * (1 - 1 / runs))
  } while (after !== null)
}

async function merge(
  context: LocalContext,
  { live, staging }: Pair,
  beside: Beside,
  call: Readonly<Record<string, unknown>>,
  { signal }: Pick<StepContext, 'signal'>,
): Promise<Readonly<Record<string, unknown>>> {
  const hostOf = ({ domain }: SiteRecord) => new URL(localSiteUrl(context.options, { domain })).host
  const mysql = live.database === 'mysql'
  const input = { ...call, mysql, files: beside, from: hostOf(staging), to: hostOf(live) }
  const result = await runScript(context, live, { script: 'merge', input, signal })
  const { problem } = result
  if (problem === undefined) return result
  throw new EngineError(
    'unavailable',
    msg`The databases of the two sites could not be merged: ${typeof problem === 'string' ? withoutAccounts(problem).slice(0, 300) : ''}`,
    { nextAction: msg`Look at the table that is named; push the files alone if that is enough.` },
  )
}

/** The staging site sleeps while its database is copied. */
async function placeDatabases(
  context: LocalContext,
  { live, staging }: Pair,
  beside: Beside,
  { from, ...step }: { readonly from?: string; readonly signal: AbortSignal; readonly seconds: number },
): Promise<void> {
  const { store, owners } = context
  const own = owners.userOf(live)
  const kept = baselineOf(store.paths(staging.id).baseline)
  // It also makes the folder, which a site on MySQL need not have.
  if (live.database === 'mysql') await writeSnapshot(context, live, beside.main, step)
  await withDatabaseFile(context, staging, step, async (stage) => {
    const theirs = { root: store.paths(staging.id).www, owner: owners.userOf(staging), below: databaseFolder }
    const ours = { root: kept.folder, owner: null, below: [] }
    const copies: CopiedDatabase[] = [
      { ...ours, name: kept.base, into: beside.base },
      { ...ours, name: kept.start, into: beside.start },
      { ...theirs, name: stage, into: beside.stage },
    ]
    if (from !== undefined && live.database !== 'mysql')
      copies.unshift({ root: from, owner: own, below: databaseFolder, name: databaseName, into: databaseName })
    await placeBeside(context, live, copies, step.signal)
  })
}

/** A database that is copied into the folder of that of a site. */
interface CopiedDatabase {
  readonly root: string
  readonly owner: number | null
  readonly below: readonly string[]
  readonly name: string
  readonly into: string
}

/** Copies databases, each with the journal of a process that was killed, beside that of a site. */
export async function placeBeside(
  context: LocalContext,
  live: SiteRecord,
  copies: readonly CopiedDatabase[],
  signal: AbortSignal,
): Promise<void> {
  const { store, owners, awake, trees, storage } = context
  const { www } = store.paths(live.id)
  const files = copies.flatMap(({ root, owner, below, name, into }) =>
    ['', '-journal'].map((end): PlacedFile => ({
      from: { root, below, name: `${name}${end}` },
      owner,
      into: { root: www, below: databaseFolder, name: `${into}${end}` },
      uid: owners.userOf(live),
      optional: end !== '',
    })),
  )
  const added = await trees.run('place', { files, limits: await storage.room(live) }, { signal })
  storage.grown(live.id, added)
  const paths = files.map(({ into }) => [...databaseFolder, into.name].join('/'))
  awake.running(live.id)?.filesChanged({ paths, ...added })
}
