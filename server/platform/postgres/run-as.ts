import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartupError } from '../startup-error.ts'

/** The account PostgreSQL runs under; it refuses to run as root. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
  /** True when it is not the account of this process, so that spawning must switch and files must be handed over. */
  readonly switches: boolean
}

/** Text every "PostgreSQL cannot run here" ends with. */
export const USE_DATABASE_URL = 'set DATABASE_URL to a PostgreSQL 15 or newer of your own'

function numericId(flag: '-u' | '-g'): number | null {
  try {
    const id = Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
    return Number.isInteger(id) ? id : null
  } catch {
    return null
  }
}

function nobody(passwd: string): { uid: number; gid: number } | null {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd)
  if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) }
  const uid = numericId('-u')
  const gid = numericId('-g')
  return uid === null || gid === null ? null : { uid, gid }
}

const readPasswd = () => {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

/**
 * Decides who runs PostgreSQL: this account, or `nobody` when this is root. An existing database folder of another
 * account is run by that account. Throws `StartupError` where no account fits.
 */
export function chooseRunAs(clusterOwner: { uid: number; gid: number } | null): RunAs {
  const uid = process.getuid?.() ?? -1
  const gid = process.getgid?.() ?? -1
  if (uid !== 0) {
    try {
      userInfo()
    } catch (error) {
      throw new StartupError(
        `The built-in database cannot run: user id ${uid} has no entry in the system's list of users.`,
        `Start Easydash as a user of this system, or ${USE_DATABASE_URL}.`,
        error,
      )
    }
    if (clusterOwner && clusterOwner.uid !== uid) {
      throw new StartupError(
        `The database files belong to user id ${clusterOwner.uid}, but Easydash was started by user id ${uid}.`,
        'Start Easydash as the user who started it first (root, if it was root), or set EASYDASH_DATA_DIR to another folder.',
      )
    }
    return { uid, gid, switches: false }
  }
  if (clusterOwner && clusterOwner.uid !== 0) return { ...clusterOwner, switches: true }
  const account = nobody(readPasswd())
  if (!account || account.uid === 0) {
    throw new StartupError(
      'The built-in database cannot run as root, and this system has no user "nobody" to run it.',
      `Start Easydash as an ordinary user, or ${USE_DATABASE_URL}.`,
    )
  }
  return { ...account, switches: true }
}

/** First folder from `/` down to `path` (inclusive, links followed) that the account may not pass through, or null. */
export function closedFolder(path: string, account: RunAs): string | null {
  const chain: string[] = []
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    chain.unshift(folder)
    if (folder === dirname(folder)) break
  }
  for (const folder of chain) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return folder
  }
  return null
}
