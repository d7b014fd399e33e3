import { sql } from 'kysely'
import type { Database } from '#server/platform/database/database.ts'
import {
  addKey,
  dropOldKeys,
  loadKeyring,
  settingOf,
  type KeyringSource,
} from '#server/platform/secrets/keyring-source.ts'
import { createSecrets, KeyInUseError, keyUse, type Secrets } from '#server/platform/secrets/secrets.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'

/** Arbitrary lock id shared by all processes: one rotation at a time. */
const LOCK = 4_036_817_216

/** How often a rotation checks again for data keys created under the old key meanwhile. */
const maxRounds = 10

/**
 * Re-encrypts every data key under a new key and drops the old ones, while the product runs. An interrupted rotation is
 * continued with its new key. With `EASYDASH_SECRET_KEYS` the operator adds and removes keys. Throws `StartupError` if
 * another rotation is running or there is nothing to do.
 */
export async function rotateKeys(
  database: Database,
  source: KeyringSource,
  print: (line: string) => void,
): Promise<void> {
  await database.db.connection().execute(async (connection) => {
    const locked = await sql<{ got: boolean }>`select pg_try_advisory_lock(${sql.lit(LOCK)}) as got`.execute(connection)
    if (!locked.rows[0]?.got)
      throw new StartupError('Another rotation of the keys is running.', 'Wait for its end; it says when it is done.')
    try {
      await rotateLocked(database, source, print)
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(LOCK)})`.execute(connection)
    }
  })
}

async function rotateLocked(database: Database, source: KeyringSource, print: (line: string) => void): Promise<void> {
  const setting = settingOf(source)
  const fromFile = setting === null
  // Rejects wrong keys before anything is changed.
  await createSecrets({ database, source })
  const before = await loadKeyring(source, false)
  const unfinished = before.versions.length > 1
  if (!fromFile && !unfinished && (await areAllEncryptedWith(database, before.current)))
    throw new StartupError(
      `${setting} holds one key, and everything is encrypted with it.`,
      'Put a new key with the next version in front of it (v2:BASE64,v1:BASE64), restart Easydash, then run this again.',
    )
  const ring = fromFile && !unfinished ? await addKey(source) : before
  print(unfinished ? `Going on with the rotation to key v${ring.current}.` : `Added key v${ring.current}.`)
  const secrets = await createSecrets({ database, source })
  const total = await rewrapAll(secrets, print)
  if (fromFile) await dropOldKeys(source)
  print(`${total} data keys were encrypted again; all of them are under key v${ring.current}.`)
  const old = before.versions.filter((version) => version !== ring.current).map((version) => `v${version}`)
  if (old.length === 0) return
  print(fromFile ? `Dropped ${old.join(', ')}.` : `${old.join(', ')} can be removed from ${setting} now.`)
}

/** Repeats until no data key is left under an old key: running processes may create one meanwhile. */
async function rewrapAll(secrets: Secrets, print: (line: string) => void): Promise<number> {
  let total = 0
  for (let round = 1; ; round += 1) {
    total += await secrets.rotate((done, of) => print(`${done} of ${of} data keys`))
    try {
      await secrets.retire()
      return total
    } catch (error) {
      if (!(error instanceof KeyInUseError) || round === maxRounds) throw error
    }
  }
}

async function areAllEncryptedWith(database: Database, version: number): Promise<boolean> {
  return (await keyUse(database.db)).every((use) => use.version === version)
}

/** One line for `doctor`: the keys and the number of data keys each one encrypts. */
export async function keyFinding(
  database: Database,
  source: KeyringSource,
): Promise<{ isWarning: boolean; text: string }> {
  const ring = await loadKeyring(source, false)
  const use = new Map((await keyUse(database.db)).map((one) => [one.version, one.dataKeys]))
  const versions = [...new Set([...ring.versions, ...use.keys()])].toSorted((a, b) => b - a)
  const parts = versions.map((version) => {
    const count = use.get(version) ?? 0
    const guards = count === 1 ? '1 data key' : `${count} data keys`
    return `v${version} ${count === 0 ? 'not in use' : `guards ${guards}`}${ring.versions.includes(version) ? '' : ' and is missing'}`
  })
  const isWarning = versions.length > 1
  return {
    isWarning,
    text: `Secret keys: ${parts.join(', ')}${isWarning ? '. "keys rotate" brings everything under the newest one' : ''}`,
  }
}
