import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'
import type { Db } from '#server/platform/database/database.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'

/** Creates the table of the installation's SSH key if it is missing: one row, with the private key encrypted. */
export async function installationKeyTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_installation_key (
    id boolean primary key default true check (id),
    public_key text not null,
    private_key text not null,
    created timestamptz not null default now())`.execute(trx)
}

/** Encrypts or decrypts the private key; the first argument is the location of the value. */
export type SealInstallationKey = (aad: string, plaintext: string) => Promise<string>

/** Location of the private key, authenticated with it. */
const aad = 'easydash_installation_key|private_key'

/**
 * The installation's public SSH key, as a line of OpenSSH (RFC 8709 section 4). The pair is created at the first start and
 * then stays; of several processes that create one at once, the first one's is everybody's.
 */
export async function installationPublicKey(db: Db, seal: SealInstallationKey): Promise<string> {
  const known = await storedPublicKey(db)
  if (known !== null) return known
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const line = `${publicKeyLine(publicKey)} easydash`
  const sealed = await seal(aad, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  await sql`insert into easydash_installation_key (public_key, private_key) values (${line}, ${sealed})
    on conflict do nothing`.execute(db)
  return (await storedPublicKey(db)) ?? line
}

/** The private key, as PEM (PKCS #8); null before the pair is created. Never log it. */
export async function installationPrivateKey(db: Db, open: SealInstallationKey): Promise<string | null> {
  const { rows } = await sql<{ private_key: string }>`select private_key from easydash_installation_key`.execute(db)
  return rows[0] ? open(aad, rows[0].private_key) : null
}

async function storedPublicKey(db: Db): Promise<string | null> {
  const { rows } = await sql<{ public_key: string }>`select public_key from easydash_installation_key`.execute(db)
  return rows[0]?.public_key ?? null
}
