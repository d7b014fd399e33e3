import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { chown, chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole } from '../config/data-dir.ts'
import { NoPlainFileError, readPrivateFile } from '../secrets/private-file.ts'
import { registerSecret } from '../log/redact-text.ts'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Owner of the cluster: for setting it up, upgrading it, and making databases for tests. The product never connects as it. */
export const SUPERUSER = 'easydash'
/** What the product connects as: owner of its database, and nothing else. */
export const APP_ROLE = 'easydash_app'

export type Role = typeof SUPERUSER | typeof APP_ROLE
const roles: readonly Role[] = [SUPERUSER, APP_ROLE]

/** Passwords of both roles. */
export type RolePasswords = Readonly<Record<Role, string>>

const passwordBytes = 32
const form = /^[\w-]{43}$/

const folderOf = (dataDir: string) => join(dataDir, 'postgres-passwords')

/** The password of a role; null when there is none, or one that others could have read. */
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

/** The passwords of a data folder; null unless both are there. */
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
 * Writes the passwords into a file each that only the dashboard's process can read (0600 in a folder of 0700). `owner`:
 * whom they belong to where that is not this process.
 */
export async function writePasswords(dataDir: string, passwords: RolePasswords, owner: number | null): Promise<void> {
  const folder = folderOf(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  for (const role of roles) {
    const path = join(folder, role)
    await writeFileWhole(path, `${passwords[role]}\n`)
    if (owner !== null) await chown(path, owner, owner)
  }
  if (owner !== null) await chown(folder, owner, owner)
}

/** PostgreSQL's own default (`scram_iterations`); more would only slow down connecting: the passwords are random. */
const iterations = 4096

/**
 * What the server stores of a password (RFC 5803, as `pg_authid.rolpassword` has it), computed here so that the password
 * itself is in no statement. ASCII needs no SASLprep.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`
}
