import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { Log } from '../log/log.ts'
import type { Keyring } from './keyring.ts'
import { loadKeyring, type KeyringSource } from './keyring-source.ts'
import { sameSecret } from './tokens.ts'
import { KEY_BYTES, openBytes, sealBytes } from './sealing.ts'
import { StartupError } from '../processes/startup-error.ts'

/** Owner and location of a sealed value. */
export interface SealContext {
  /** Scope whose data key encrypts it, e.g. an organization's name; each scope has its own key. */
  scope: string
  /** Exact location of the value, e.g. `acme|Server|k3f9…|http_auth`: a value moved elsewhere can't be opened. */
  aad: string
}

/** Encrypts individual values at rest. */
export interface Secrets {
  /** Encrypts a text. The result is printable and starts with `s1.`. */
  seal(context: SealContext, plaintext: string): Promise<string>
  /** Decrypts it. Throws if the context differs or the value was changed. */
  open(context: SealContext, sealed: string): Promise<string>
  /**
   * Re-wraps every data key that is not under the ring's current key, in small transactions without downtime; continues
   * after an interruption. Returns how many were re-wrapped. `progress` is called after each batch.
   */
  rotate(progress?: (done: number, total: number) => void): Promise<number>
  /**
   * Retires every key but the newest: no process wraps anything with them from now on, so they can be dropped. Throws
   * `KeyInUseError`, with nothing changed, while a data key is still wrapped with one.
   */
  retire(): Promise<void>
  /** Deletes a scope's data keys: everything sealed under it is permanently unreadable. */
  forget(scope: string, trx?: Db): Promise<void>
}

/** Options of `createSecrets`. */
export interface SecretsOptions {
  database: Pick<Database, 'db' | 'reserved'>
  source: KeyringSource
  log?: Log
}

/** A key of the ring can't be retired because data keys are wrapped with it. */
export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError'
  readonly versions: readonly number[]
  constructor(versions: readonly number[]) {
    super(`Data keys are still encrypted with v${versions.join(', v')} of the key ring.`)
    this.versions = versions
  }
}

const PREFIX = 's1'
const ROTATE_AT_ONCE = 50

const wrapAad = (scope: string, version: number) => `data key|${version}|${scope}`
const valueAad = (context: SealContext, version: number) =>
  `value|${version}|${context.scope.length}|${context.scope}|${context.aad}`

/**
 * Sets up the encryption of the installation. Throws `StartupError` if the key ring is not the one the database was used
 * with; nothing is written then.
 */
export async function createSecrets(options: SecretsOptions): Promise<Secrets> {
  const { db, reserved } = options.database
  const usedBefore = await db.selectFrom('easydash_key_check').select('version').limit(1).executeTakeFirst()
  let ring = await loadKeyring(options.source, !usedBefore, options.log)
  await db.transaction().execute((trx) => verifyKeyring(trx, ring))
  const keys = new Map<string, Promise<DataKey>>()

  /** Reloads the ring: `keys rotate` may have changed it since this process started. */
  const reload = async (): Promise<void> => {
    ring = await loadKeyring(options.source, false)
  }

  // Whoever seals or opens a value is often in a transaction, so keys are looked up on the reserved connections.
  const load = async (scope: string, version: number | null): Promise<DataKey | null> => {
    let query = reserved
      .selectFrom('easydash_data_key')
      .select(['version', 'wrapped', 'ring_version'])
      .where('scope', '=', scope)
      .$castTo<Omit<DataKeyRow, 'scope'>>()
    if (version !== null) query = query.where('version', '=', version)
    const newest = query.orderBy('version', 'desc').limit(1)
    let row = await newest.executeTakeFirst()
    if (row && !ring.versions.includes(row.ring_version)) {
      await reload()
      // A rotation may have finished between the two queries: the row is then under the new key.
      row = await newest.executeTakeFirst()
    }
    if (!row) return null
    const key = ring.unwrap(wrapAad(scope, row.version), row.ring_version, row.wrapped)
    return { version: row.version, key }
  }

  const create = async (scope: string): Promise<DataKey> => {
    const key = randomBytes(KEY_BYTES)
    // The key is kept even if the caller's transaction rolls back: another process may already use it.
    if (!(await reserved.transaction().execute((trx) => store(trx, ring, scope, key)))) {
      await reload()
      await reserved.transaction().execute((trx) => verifyKeyring(trx, ring))
      if (!(await reserved.transaction().execute((trx) => store(trx, ring, scope, key))))
        throw new Error(`The secret key v${ring.current} of this process was retired by a rotation.`)
    }
    const stored = await load(scope, null)
    if (!stored) throw new Error('A data key vanished while it was created.')
    return stored
  }

  const cached = (name: string, find: () => Promise<DataKey>): Promise<DataKey> => {
    const known = keys.get(name)
    if (known) return known
    const finding = find()
    keys.set(name, finding)
    finding.catch(() => keys.delete(name))
    return finding
  }

  return {
    async seal(context, plaintext) {
      const { version, key } = await cached(
        `${context.scope}\0`,
        async () => (await load(context.scope, null)) ?? create(context.scope),
      )
      return `${PREFIX}.${version}.${sealBytes(key, valueAad(context, version), Buffer.from(plaintext, 'utf8'))}`
    },
    async open(context, sealed) {
      const match = /^s1\.(\d{1,9})\.([A-Za-z0-9_-]+)$/.exec(sealed)
      if (!match) throw new Error('Not a sealed value.')
      const version = Number(match[1])
      const { key } = await cached(`${context.scope}\0${version}`, async () => {
        const found = await load(context.scope, version)
        if (!found) throw new Error('The data key of this value does not exist (any more).')
        return found
      })
      return openBytes(key, valueAad(context, version), match[2] ?? '').toString('utf8')
    },
    async rotate(progress) {
      await reload()
      await db.transaction().execute((trx) => verifyKeyring(trx, ring))
      const total = (await keyUse(db)).reduce((sum, use) => sum + (use.version === ring.current ? 0 : use.dataKeys), 0)
      for (let done = 0; ;) {
        const count = await db.transaction().execute((trx) => rewrapSome(trx, ring))
        done += count
        if (count === 0) return done
        progress?.(done, Math.max(done, total))
      }
    },
    retire: () =>
      db.transaction().execute(async (trx) => {
        // Waits for processes that are wrapping with an old key right now, and blocks new ones.
        await trx.deleteFrom('easydash_key_check').where('version', '<', ring.current).execute()
        const old = (await keyUse(trx)).map((use) => use.version).filter((version) => version !== ring.current)
        if (old.length > 0) throw new KeyInUseError(old)
      }),
    async forget(scope, trx = db) {
      await trx.deleteFrom('easydash_data_key').where('scope', '=', scope).execute()
      for (const name of keys.keys()) if (name.startsWith(`${scope}\0`)) keys.delete(name)
    },
  }
}

/** Number of data keys wrapped with each key of the ring, newest key first. */
export async function keyUse(db: Db): Promise<{ version: number; dataKeys: number }[]> {
  return db
    .selectFrom('easydash_data_key')
    .select(['ring_version as version', (expression) => expression.fn.countAll().as('dataKeys')])
    .$castTo<{ version: number; dataKeys: number }>()
    .groupBy('ring_version')
    .orderBy('ring_version', 'desc')
    .execute()
}

/**
 * Stores a new data key under the ring's newest key; returns false if a rotation has retired that one. The key's row stays
 * locked until the end of the transaction, so that a retirement waits and sees the data key.
 */
async function store(trx: Db, ring: Keyring, scope: string, key: Buffer): Promise<boolean> {
  const valid = await trx
    .selectFrom('easydash_key_check')
    .select('version')
    .where('version', '=', ring.current)
    .forShare()
    .executeTakeFirst()
  if (!valid) return false
  const { version, wrapped } = ring.wrap(wrapAad(scope, 1), key)
  await trx
    .insertInto('easydash_data_key')
    .values({ scope, version: 1, wrapped, ring_version: version })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return true
}

interface DataKey {
  version: number
  key: Buffer
}

/** A row of `easydash_data_key`: a data key, wrapped with a version of the key ring. */
interface DataKeyRow {
  scope: string
  version: number
  wrapped: string
  ring_version: number
}

async function rewrapSome(trx: Db, ring: Keyring): Promise<number> {
  const rows = await trx
    .selectFrom('easydash_data_key')
    .select(['scope', 'version', 'wrapped', 'ring_version'])
    .$castTo<DataKeyRow>()
    .where('ring_version', '!=', ring.current)
    .orderBy('scope')
    .orderBy('version')
    .limit(ROTATE_AT_ONCE)
    .forUpdate()
    .execute()
  for (const row of rows) {
    const aad = wrapAad(row.scope, row.version)
    const key = ring.unwrap(aad, row.ring_version, row.wrapped)
    const { version, wrapped } = ring.wrap(aad, key)
    await trx
      .updateTable('easydash_data_key')
      .set({ wrapped, ring_version: version })
      .where('scope', '=', row.scope)
      .where('version', '=', row.version)
      .execute()
  }
  return rows.length
}

/**
 * Compares the ring with the proofs stored by earlier starts, then stores those of new keys. Throws `StartupError` if it is
 * not the ring the database was used with.
 */
export async function verifyKeyring(trx: Db, ring: Keyring): Promise<void> {
  await sql`lock table easydash_key_check in share row exclusive mode`.execute(trx)
  const proofs = await trx
    .selectFrom('easydash_key_check')
    .select(['version', 'proof'])
    .$castTo<{ version: number; proof: string }>()
    .orderBy('version')
    .execute()
  const wrong = proofs.find(
    ({ version, proof }) => ring.versions.includes(version) && !sameSecret(ring.proof(version), proof),
  )
  const needed = await trx
    .selectFrom('easydash_data_key')
    .select('ring_version')
    .$castTo<Pick<DataKeyRow, 'ring_version'>>()
    .distinct()
    .execute()
  const missing = [...proofs.map(({ version }) => version), ...needed.map((row) => row.ring_version)].find(
    (version) => !ring.versions.includes(version),
  )
  const nextAction =
    'Put the right keys back: the file "keys" in the data folder, or what EASYDASH_SECRET_KEYS, _FILE or _COMMAND leads to.'
  if (wrong)
    throw new StartupError(`The secret key v${wrong.version} is not the one this database was used with.`, nextAction)
  if (missing !== undefined)
    throw new StartupError(`The secret key v${missing}, which this database was used with, is missing.`, nextAction)
  // Older keys without a proof were retired and stay retired.
  const newest = Math.max(0, ...proofs.map(({ version }) => version))
  for (const version of ring.versions.filter((one) => one > newest)) {
    await trx
      .insertInto('easydash_key_check')
      .values({ version, proof: ring.proof(version) })
      .execute()
  }
}
