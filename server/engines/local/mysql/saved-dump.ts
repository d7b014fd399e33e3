import { rename, rm } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { isObject } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { dumpLimit } from './dump-limit.ts'
import { dumpNames, makeRoomForDump, savedDumpPath, type DumpName } from './kept-dumps.ts'
import { runMove } from './run-move.ts'
import { isPassword, newSiteLogin, type SiteLogin } from './site-statements.ts'

/** What keeping dumps needs. */
export type DumpContext = Pick<LocalBase & SiteRuntime, 'store' | 'storage' | 'tenants' | 'awake' | 'mysql'>

/**
 * Keeps a dump of a site's MySQL database; complete or not there. Throws EngineError `unavailable` if there is no room.
 * @param how.takesBack it is for taking a change back, which no bound of what is kept may prevent; only the disk is looked at
 */
export async function saveDump(
  context: DumpContext,
  record: SiteRecord,
  name: DumpName,
  signal: AbortSignal,
  how: { readonly takesBack?: boolean } = {},
): Promise<void> {
  const path = savedDumpPath(context, record, name)
  const bytes = await context.mysql.bytes(record.id)
  if (await isDiskFull(context.store.paths(record.id).folder, bytes)) {
    throw new EngineError('unavailable', msg`The database could not be saved before the change.`, {
      nextAction: msg`Make room on the disk of this machine, then try again.`,
    })
  }
  const fresh = `${path}.new`
  await rm(fresh, { force: true })
  const room = how.takesBack === true ? Infinity : await makeRoomForDump(context, record, { name, bytes })
  const maxBytes = Math.min(room, await dumpLimit(context, record))
  await context.mysql.dump(record.id, { path: fresh, signal, maxBytes })
  await rename(fresh, path)
}

/**
 * Puts a saved database back. Can be repeated after a crash at any point: the dump stays until everything is there.
 * @param how.keeps it stays afterwards, too
 */
export async function restoreDump(
  context: DumpContext,
  record: SiteRecord,
  name: DumpName,
  how: { readonly keeps?: true } = {},
): Promise<void> {
  const path = savedDumpPath(context, record, name)
  // It was put back before.
  if (!(await exists(path))) return
  const release = context.awake.hold(record.id)
  try {
    const own = await ownLogin(context, record)
    await context.mysql.clear(record.id)
    crashPoint('local.mysql/cleared')
    await context.mysql.load(own, { content: createReadStream(path), signal: AbortSignal.timeout(1_800_000) })
  } finally {
    release()
  }
  if (how.keeps !== true) await forgetDumpOf(context, record, name)
}

/**
 * What a site connects with. The password in its configuration becomes that of its user, who may have got another one while other files
 * were in place; without such a configuration, it is a new one.
 */
export async function ownLogin(context: DumpContext, record: SiteRecord): Promise<SiteLogin> {
  const { login } = await runMove(context, record, { do: 'login' })
  const fresh = newSiteLogin(record.id)
  const password = isObject(login) && typeof login['password'] === 'string' ? login['password'] : fresh.password
  const own = { ...fresh, password }
  // One that somebody chose is that of the user already.
  if (isPassword(password)) await context.mysql.setPassword(own)
  return own
}

/** Removes what was saved. */
export async function forgetDumpOf(
  context: Pick<DumpContext, 'store'>,
  record: SiteRecord,
  name: DumpName,
): Promise<void> {
  const path = savedDumpPath(context, record, name)
  for (const one of [path, `${path}.new`]) await rm(one, { force: true })
}

/** Removes all that are kept of a site: its database is elsewhere now. */
export async function forgetAllDumps(context: Pick<DumpContext, 'store'>, record: SiteRecord): Promise<void> {
  for (const name of dumpNames) await forgetDumpOf(context, record, name)
}
