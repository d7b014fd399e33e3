import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { withoutDefiners } from '#server/platform/mysql/without-definers.ts'
import { isObject } from '#shared/parse-json.ts'
import type { StepContext } from '../../engine.ts'
import { assertOwnDatabase } from '../copies/copy-database.ts'
import type { LocalContext } from '../local-context.ts'
import { dumpLimit } from '../mysql/dump-limit.ts'
import { runMove } from '../mysql/run-move.ts'
import { ownLogin } from '../mysql/saved-dump.ts'
import { databaseOf, newSiteLogin } from '../mysql/site-statements.ts'
import { databaseHost } from '../outbound/policy.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { Sides } from './restore-tables.ts'

const parts = ['views', 'triggers'] as const

/** Views and triggers of what is restored, which can't be renamed as tables can. They go with the rehearsal. */
const definitionsOf = ({ store }: LocalContext, { id }: SiteRecord, part: (typeof parts)[number]): string =>
  join(store.paths(id).folder, `restored-${part}.sql`)

/**
 * Gives the site a login of its own, if the configuration that came with the files names another database. The state before keeps its
 * password in its own configuration (`ownLogin`).
 */
export async function connectRestored(context: LocalContext, live: SiteRecord, signal: AbortSignal): Promise<void> {
  const { login } = await runMove(context, live, { do: 'login' }, signal)
  if (isObject(login) && login['database'] !== databaseOf(live.id)) {
    const own = newSiteLogin(live.id)
    await context.mysql.setPassword(own)
    await runMove(context, live, { do: 'configure', login: { ...own, host: databaseHost } }, signal)
  }
  await assertOwnDatabase(context, live, signal)
}

/** Puts tables of a rehearsal on MySQL, with their views and triggers, in place of the site's own. Can be repeated. */
export async function takeDatabase(
  context: LocalContext,
  { live, rehearsal }: Sides,
  tables: readonly string[] | null,
  { signal, log }: StepContext,
): Promise<void> {
  const { mysql, store, awake, storage } = context
  const isRepeated = store.get(live.id)?.push?.merging === true
  const releases = [await awake.keepAsleep(live.id), await awake.keepAsleep(rehearsal.id)]
  try {
    if (!isRepeated) await writeDefinitions(context, rehearsal, tables, signal)
    await store.change(live.id, (now) =>
      now.push === undefined ? now : { ...now, push: { ...now.push, merging: true } },
    )
    crashPoint('local.restore/defined')
    await mysql.take(live.id, { from: rehearsal.id, tables, isRepeated }, signal)
    crashPoint('local.restore/taken')
  } finally {
    for (const release of releases) release()
  }
  const release = awake.hold(live.id)
  try {
    const login = await ownLogin(context, live)
    for (const part of parts) {
      const path = definitionsOf(context, rehearsal, part)
      if (await exists(path)) await mysql.load(login, { content: createReadStream(path), signal })
    }
  } finally {
    release()
    storage.invalidate(live.id)
  }
  log(tables === null ? 'The database of the backup is in place' : `Restored ${tables.join(', ')}`)
}

async function writeDefinitions(
  context: LocalContext,
  rehearsal: SiteRecord,
  tables: readonly string[] | null,
  signal: AbortSignal,
): Promise<void> {
  const { mysql } = context
  const views = tables === null ? await mysql.views(rehearsal.id) : []
  for (const part of parts) {
    const path = definitionsOf(context, rehearsal, part)
    await rm(path, { force: true })
    if (part === 'views' && views.length === 0) continue
    const named = part === 'views' ? views : (tables ?? [])
    const maxBytes = await dumpLimit(context, rehearsal)
    await mysql.dump(rehearsal.id, { path, signal, maxBytes, only: part, tables: named, through: [withoutDefiners()] })
  }
}
