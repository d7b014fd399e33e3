import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { StartupError, systemErrorCode } from '../processes/startup-error.ts'
import { firstDatabaseUserId, isDatabaseUserId, ownUserIds } from '../processes/user-ids.ts'

/** The account PostgreSQL runs as; it refuses to run as root. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
  /**
   * True if it differs from the account of this process, so that spawning must switch users and files must change owners.
   */
  readonly switches: boolean
  /**
   * The account `initdb` runs as, if different: it looks its user up in the system's user database, which doesn't contain
   * ids of our own (`get_user_name_or_exit` in PostgreSQL's `src/common/username.c`; the server itself does no lookup). It
   * runs with our group, and only that group can enter the folder.
   */
  readonly initdbUid?: number
  /** Why it is the system's shared `nobody` instead of a dedicated account. */
  readonly sharedBecause?: string
}

/** Suffix of every "PostgreSQL cannot run here" message. */
export const USE_DATABASE_URL = 'set DATABASE_URL to a PostgreSQL 15 or newer of your own'

type Owner = Pick<RunAs, 'uid' | 'gid'>

function numericId(flag: '-u' | '-g'): number | null {
  try {
    const id = Number(
      execFileSync('id', [flag, 'nobody'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { PATH: '/usr/bin:/bin' },
      }),
    )
    return Number.isInteger(id) ? id : null
  } catch {
    return null
  }
}

const readPasswd = () => {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

/** The system's user `nobody`, which other programs may use, too; null if there is none. */
function nobody(): Owner | null {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readPasswd())
  const uid = entry ? Number(entry[1]) : numericId('-u')
  const gid = entry ? Number(entry[2]) : numericId('-g')
  return uid === null || gid === null || uid === 0 ? null : { uid, gid }
}

/** Whether an owner is the shared account, which is used only where there is no other, or root, as which no server runs. */
const mustBeReplaced = (owner: Owner, shared: Owner | null) => owner.uid === 0 || owner.uid === shared?.uid

/** Why root can't give files to a user id (a user namespace without it); null if it can. */
function chownProblem(uid: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'easydash-owner-'))
  try {
    chownSync(folder, uid, uid)
    return null
  } catch (error) {
    return `this system does not let root give files to user id ${uid} (${systemErrorCode(error)})`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Why an owner is `nobody`; null if it is not. */
export function nobodyOwnerReason(owner: Owner): string | null {
  const shared = nobody()
  if (process.getuid?.() !== 0 || owner.uid !== shared?.uid) return null
  return chownProblem(firstDatabaseUserId) ?? 'it was made where nothing else was possible; the next start changes that'
}

function chooseWithoutRoot(clusterOwner: Owner | null, uid: number, gid: number): RunAs {
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

async function chooseAsRoot(
  clusterOwner: Owner | null,
  dataDir: string,
  systemDir: string | undefined,
): Promise<RunAs> {
  const shared = nobody()
  // If root happens to start a regular user's database, it stays owned by that user.
  if (clusterOwner && !mustBeReplaced(clusterOwner, shared) && !isDatabaseUserId(clusterOwner.uid))
    return { uid: clusterOwner.uid, gid: clusterOwner.gid, switches: true }
  const { postgres } = await ownUserIds(dataDir, systemDir)
  const problem = chownProblem(postgres)
  if (problem === null && (shared || clusterOwner))
    return { uid: postgres, gid: postgres, switches: true, ...(shared ? { initdbUid: shared.uid } : {}) }
  if (shared && problem !== null) return { ...shared, switches: true, sharedBecause: problem }
  throw new StartupError(
    'The built-in database cannot be created by root: this system has no user "nobody" to run initdb.',
    `Start Easydash as an ordinary user, or ${USE_DATABASE_URL}.`,
  )
}

/**
 * Decides which account runs PostgreSQL: this one, or as root a user id dedicated to this installation. An existing database
 * of a regular user is run as that user. Throws `StartupError` if no account is suitable.
 */
export async function chooseRunAs(clusterOwner: Owner | null, dataDir: string, systemDir?: string): Promise<RunAs> {
  const uid = process.getuid?.() ?? -1
  const gid = process.getgid?.() ?? -1
  return uid === 0 ? chooseAsRoot(clusterOwner, dataDir, systemDir) : chooseWithoutRoot(clusterOwner, uid, gid)
}

/** First folder from `/` down to `path` (inclusive, links followed) that the account can't pass through, or null. */
export function findInaccessibleFolder(path: string, account: RunAs): string | null {
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
