import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** What dumps of a site's database are kept for: names of files. */
export const dumpNames = [
  'saved-database',
  'sql-undo',
  'sql-undo-new',
  'sql-undo-now',
  'core-before',
  'core-kept',
  'core-use',
  'push-before',
  'push-kept',
] as const

/** One of `dumpNames`. */
export type DumpName = (typeof dumpNames)[number]

/**
 * Dumps of a site take at most this many times its quota: a change needs the state before, and beside it stand those before the last
 * SQL statement, change of the version and push.
 */
const quotasPerSite = 4
/** Most bytes of the dumps of all sites of a tenant. */
const maxTenantBytes = 10 * 1024 ** 3
/** A dump that nothing is known of is removed after a day: what goes on is over by then. */
const dayMs = 86_400_000
/** A dump that is not complete by then was cut off. */
const unfinishedMs = 7_200_000

type Context = Pick<LocalBase & SiteRuntime, 'store' | 'storage' | 'tenants'>

interface KeptDump {
  readonly path: string
  readonly name: DumpName
  readonly size: number
  readonly at: number
}

/** The file of a dump: outside the files of the site, so nothing in it can change what comes back. */
export const savedDumpPath = ({ store }: Pick<Context, 'store'>, { id }: SiteRecord, name: DumpName): string =>
  join(store.paths(id).folder, `${name}.sql`)

/**
 * Room for one more dump of a site (bytes), beside its others and those of its tenant. States that only the undo of a statement needs
 * make room, those of the tenant's other sites and oldest first. Throws EngineError `unavailable` if `bytes` do not fit even then.
 */
export async function makeRoomForDump(
  context: Context,
  record: SiteRecord,
  { name, bytes, tenantBytes = maxTenantBytes }: { name: DumpName; bytes: number; tenantBytes?: number },
): Promise<number> {
  const { store, storage, tenants } = context
  const own = (await dumpsOf(context, record.id)).filter((dump) => dump.name !== name)
  const ofSite = quotasPerSite * storage.limitsOf(record).bytes - sizeOf(own)
  const others = store.all().filter(({ id }) => id !== record.id && tenants.of(id) === tenants.of(record.id))
  const found = await Promise.all(others.map(async (other) => ({ other, dumps: await dumpsOf(context, other.id) })))
  let ofTenant = tenantBytes - sizeOf(own) - found.reduce((total, { dumps }) => total + sizeOf(dumps), 0)
  const undos = found
    .flatMap(({ other, dumps }) => dumps.map((dump) => ({ other, dump })))
    .filter(
      ({ other, dump }) => dump.name === 'sql-undo' && other.sqlUndo !== undefined && other.sqlUndo.stage === undefined,
    )
    .toSorted((a, b) => a.dump.at - b.dump.at)
  // Nothing is given up for a dump that does not fit anyway.
  const fits = ofSite >= bytes && ofTenant + sizeOf(undos.map(({ dump }) => dump)) >= bytes
  for (const { other, dump } of undos) {
    if (!fits || ofTenant >= bytes) break
    if (await forgetUndo(context, other, dump)) ofTenant += dump.size
  }
  if (Math.min(ofSite, ofTenant) >= bytes) return Math.min(ofSite, ofTenant)
  throw new EngineError('unavailable', msg`The database could not be saved before the change.`, {
    nextAction:
      ofSite < bytes
        ? msg`Copies of this database take up too much already. Make the database smaller, or ask for a larger quota.`
        : msg`Copies of the databases of your sites take up too much. Those that undo SQL are removed after a day, those of pushes and versions with the next one of their site.`,
  })
}

/** Removes the state before a statement, unless it is being put back or is another one by now. Returns whether it did. */
async function forgetUndo({ store }: Context, other: SiteRecord, { path, at }: KeptDump): Promise<boolean> {
  let forgotten = false
  await store.change(other.id, (now) => {
    forgotten = now.sqlUndo?.id === other.sqlUndo?.id && now.sqlUndo?.stage === undefined
    if (!forgotten) return now
    const { sqlUndo: _forgotten, ...left } = now
    return left
  })
  // A statement may have put its own in this place meanwhile.
  if (!forgotten || (await stat(path).catch(() => null))?.mtimeMs !== at) return false
  await rm(path, { force: true })
  return true
}

/** Removes dumps that no change of their site needs; looks at the start and once a day. */
export function createDumpCleanup(context: Pick<LocalBase, 'store' | 'now'>): () => Promise<void> {
  let nextLook = 0
  return async () => {
    if (context.now() < nextLook) return
    nextLook = context.now() + dayMs
    await removeOrphans(context)
  }
}

async function removeOrphans(context: Pick<LocalBase, 'store' | 'now'>): Promise<void> {
  for (const record of context.store.all())
    for (const { path, name, at } of await dumpsOf(context, record.id)) {
      // No dump is written for as long as that.
      const isCutOff = path.endsWith('.new') && at < context.now() - unfinishedMs
      if (isCutOff || (!isNeeded(record, name) && at < context.now() - dayMs)) await rm(path, { force: true })
    }
}

function isNeeded(record: SiteRecord, name: DumpName): boolean {
  switch (name) {
    case 'sql-undo':
      return record.sqlUndo !== undefined
    case 'sql-undo-new':
    case 'sql-undo-now':
      return record.sqlUndo?.stage !== undefined
    case 'core-before':
    case 'core-use':
      return record.core !== undefined
    case 'core-kept':
      return record.database === 'mysql'
    case 'push-before':
      return record.push !== undefined
    case 'push-kept':
      return record.pushed !== undefined || record.push !== undefined
    case 'saved-database':
      return record.move !== undefined || record.deletion !== undefined || record.conversion !== undefined
  }
}

const sizeOf = (dumps: readonly KeptDump[]): number => dumps.reduce((total, { size }) => total + size, 0)

/** The dumps of a site, also unfinished ones. */
async function dumpsOf({ store }: Pick<Context, 'store'>, id: string): Promise<KeptDump[]> {
  const { folder } = store.paths(id)
  const files = await readdir(folder).catch((): string[] => [])
  const found = dumpNames.flatMap((name) =>
    [`${name}.sql`, `${name}.sql.new`].filter((file) => files.includes(file)).map((file) => ({ name, file })),
  )
  const dumps = await Promise.all(
    found.map(async ({ name, file }): Promise<KeptDump[]> => {
      const path = join(folder, file)
      // It may be put into place at this moment.
      const stats = await stat(path).catch(() => null)
      return stats === null ? [] : [{ path, name, size: stats.size, at: stats.mtimeMs }]
    }),
  )
  return dumps.flat()
}
