import { join } from 'node:path'
import { replaceFile } from '../files/replace-file.ts'
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

/** Replaces a file that the account can read. */
export const writeForAccount = (
  path: string,
  text: string,
  { account }: Pick<ClusterLocation, 'account'>,
): Promise<void> => replaceFile(path, text, { owner: account.switches ? account : null })

/** Writes our rules into the cluster. A running server must reload them. */
export const writeRules = (location: ClusterLocation): Promise<void> =>
  writeForAccount(pathOf(location), rules, location)
