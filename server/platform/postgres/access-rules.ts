import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NoPlainFileError, readPrivateFile } from '../secrets/private-file.ts'
import { systemErrorCode } from '../processes/startup-error.ts'
import { SUPERUSER } from './passwords.ts'
import type { ClusterLocation } from './location.ts'

/** Access rules: every connection needs a role's password, whatever the system user. Nothing else grants access. */
const rules = `# Written by Easydash, which puts it back at the next start when it is changed.
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`

/** Used while roles get their passwords, on a socket in a folder only the server's account can enter. */
export const setUpRules = `local all ${SUPERUSER} trust\n`

const pathOf = (location: ClusterLocation) => join(location.cluster, 'pg_hba.conf')

/** Whether the cluster has our rules. */
export async function hasRules(location: ClusterLocation): Promise<boolean> {
  try {
    return (await readPrivateFile(pathOf(location)))?.text === rules
  } catch (error) {
    if (error instanceof NoPlainFileError || systemErrorCode(error) === 'ELOOP') return false
    throw error
  }
}

/** Writes a file the account can read, atomically and never through a link. */
export async function writeForAccount(
  path: string,
  text: string,
  { account }: Pick<ClusterLocation, 'account'>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  try {
    const file = await open(temporary, flags, 0o600)
    try {
      await file.writeFile(text)
      if (account.switches) await file.chown(account.uid, account.gid)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes our rules into the cluster. A running server must reload them. */
export const writeRules = (location: ClusterLocation): Promise<void> =>
  writeForAccount(pathOf(location), rules, location)
