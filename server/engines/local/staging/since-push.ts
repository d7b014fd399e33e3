import { randomBytes } from 'node:crypto'
import { exists } from '#server/platform/files/exists.ts'
import type { DatabasePlan } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { PushLoss } from '../../site-staging.ts'
import { inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { baselineOf } from './baseline.ts'
import { databaseFolder, databaseName, writeSnapshot } from './database-snapshot.ts'
import { isPushKept } from './kept-push.ts'
import { compareDatabases, placeBeside } from './merge-database.ts'

/** Seconds of one part of the work in the process of a site that has visitors. */
const partSeconds = 4
/** Requests are ended after 60 seconds, so this is less. */
const deadlineMs = 50_000
const prefix = '.ht.easydash-push-since-'

/** See `SiteStaging.changesSincePush`. */
export const changesSincePush = (
  context: LocalContext,
  live: SiteRef,
  given: AbortSignal = new AbortController().signal,
): Promise<PushLoss> =>
  inTurn(live.id, async () => {
    const { store, trees, owners, storage, awake } = context
    const record = existingRecord(store, live)
    const { www, pushed } = store.paths(record.id)
    if (record.pushed === undefined || record.push !== undefined || !isPushKept(context, record))
      throw new EngineError('conflict', msg`The state before the last push is not kept any more.`, {
        nextAction: msg`Push again what is missing.`,
      })
    const { manifest } = baselineOf(pushed)
    if (!(await exists(manifest)))
      throw new EngineError('unavailable', msg`What the site was like after the push is not known.`, {
        nextAction: msg`Compare by hand what was added since.`,
      })
    const signal = AbortSignal.any([given, AbortSignal.timeout(deadlineMs)])
    const release = awake.hold(record.id, false)
    try {
      const tree = { root: www, owner: owners.userOf(record) }
      const compared = { manifest, stage: tree, live: tree, limits: storage.limitsOf(record) }
      const files = await trees.run('compare', compared, { signal })
      const database = record.siteType === 'wp' ? await compareWithPushed(context, record, signal) : null
      const changed = (database?.kinds ?? []).map(({ kind, live: changes }) => ({ kind, changes }))
      return {
        at: record.pushed.at,
        files: files.live,
        kinds: changed.filter(({ changes }) => changes.added + changes.changed + changes.deleted > 0),
      }
    } catch (error) {
      given.throwIfAborted()
      if (error instanceof EngineError && !signal.aborted) throw error
      throw new EngineError('unavailable', msg`What changed since the push could not be found out.`, {
        retryable: true,
        nextAction: msg`Try again when nobody changes the site.`,
        cause: error,
      })
    } finally {
      release()
    }
  })

/** One copy takes the place of all that a push compares: only the side of the site differs from it. */
async function compareWithPushed(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<DatabasePlan> {
  const { store, trees, storage, awake } = context
  const { www, pushed } = store.paths(record.id)
  const name = `${prefix}${randomBytes(4).toString('hex')}`
  const copy = `${name}-base.sqlite`
  const isOnMysql = record.database === 'mysql'
  const main = isOnMysql ? `${name}-main.sqlite` : databaseName
  const remove = () => trees.run('unplace', { root: www, below: databaseFolder, prefix })
  await remove()
  try {
    if (isOnMysql) await writeSnapshot(context, record, main, { signal, seconds: partSeconds })
    const base = { root: pushed, owner: null, below: [], name: baselineOf(pushed).base, into: copy }
    await placeBeside(context, record, [base], signal)
    const beside = { main, base: copy, start: copy, stage: copy, work: `${name}-work.sqlite` }
    const pair = { live: record, staging: record }
    return await compareDatabases(context, pair, beside, { signal, progress: () => undefined }, partSeconds)
  } finally {
    await remove()
    storage.invalidate(record.id)
    awake.running(record.id)?.lowerPriority()
  }
}
