import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { chown, chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../config/data-dir.ts'
import { NoPlainFileError, readPrivateFile } from '../secrets/private-file.ts'
import { registerSecret } from '../log/redact-text.ts'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Owner of the cluster: for setup, and creating databases for tests. The product never connects as it. */
export const SUPERUSER = 'easydash'
/** The role the product connects as: it owns its database and has no other rights. */
export const APP_ROLE = 'easydash_app'

export type Role = typeof SUPERUSER | typeof APP_ROLE
const roles: readonly Role[] = [SUPERUSER, APP_ROLE]

/** Passwords of both roles. */
export type RolePasswords = Readonly<Record<Role, string>>

const passwordBytes = 32
const form = /^[\w-]{43}$/

const folderOf = (dataDir: string) => join(dataDir, 'postgres-passwords')

/** The password of a role; null if there is none, or if others could have read it. */
async function readPassword(dataDir: string, role: Role): Promise<string | null> {
  try {
    const file = await readPrivateFile(join(folderOf(dataDir), role), 1024)
    if (file === null || (file.mode & 0o077) !== 0) return null
    const text = file.text.trim()
    if (!form.test(text)) return null
    registerSecret(text)
    return text
  } catch (error) {
    if (error instanceof NoPlainFileError || ['ELOOP', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** The passwords of a data folder; null unless both exist. */
export async function readPasswords(dataDir: string): Promise<RolePasswords | null> {
  const [superuser, app] = await Promise.all(roles.map((role) => readPassword(dataDir, role)))
  return superuser && app ? { [SUPERUSER]: superuser, [APP_ROLE]: app } : null
}

/** New passwords: 256 random bits each. */
export function newPasswords(): RolePasswords {
  const fresh = () => {
    const password = randomBytes(passwordBytes).toString('base64url')
    registerSecret(password)
    return password
  }
  return { [SUPERUSER]: fresh(), [APP_ROLE]: fresh() }
}

/**
 * Writes each password into a file that only the dashboard's process can read (0600 in a folder of 0700). `owner`: their
 * owner, if it is not this process.
 */
export async function writePasswords(dataDir: string, passwords: RolePasswords, owner: number | null): Promise<void> {
  const folder = folderOf(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  for (const role of roles) {
    const path = join(folder, role)
    await writeFileAtomic(path, `${passwords[role]}\n`)
    if (owner !== null) await chown(path, owner, owner)
  }
  if (owner !== null) await chown(folder, owner, owner)
}

/** PostgreSQL's own default (`scram_iterations`); more would only slow down connecting, because the passwords are random. */
const iterations = 4096

/**
 * The stored form of a password (RFC 5803, as in `pg_authid.rolpassword`), computed here so that no statement contains the
 * password itself. ASCII needs no SASLprep.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`
}
