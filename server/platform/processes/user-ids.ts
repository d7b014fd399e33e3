import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileWhole } from '../config/data-dir.ts'
import { withLock } from './lock-file.ts'
import { StartupError, systemErrorCode } from './startup-error.ts'
import { SYSTEM_DIR } from '../config/system-dir.ts'
import { usersOfProcesses } from './user-processes.ts'
import { readIfThere } from '../files/read-if-there.ts'

/** User ids of an installation's own programs when root starts it. Group ids are the same numbers. */
export interface UserIds {
  readonly postgres: number
  readonly browser: number
}

/** Above the ids of people and services, below those of hosted sites (`engines/local/sites/site-store.ts`). Two for each installation. */
export const firstDatabaseUserId = 53_000
const pairs = 499

const inRange = (first: number) =>
  Number.isInteger(first) && first >= firstDatabaseUserId && first < firstDatabaseUserId + 2 * pairs && first % 2 === 0
const idsFrom = (first: number): UserIds => ({ postgres: first, browser: first + 1 })

/** Whether a user id is one that an installation gave to its database. */
export const isDatabaseUserId = (uid: number): boolean => inRange(uid)

const recordPath = (dataDir: string) => join(dataDir, 'user-ids.json')
const claimsFolder = (systemDir: string) => join(systemDir, 'user-ids')

/** The ids a data folder names as its own; null when it names none. */
async function readRecord(dataDir: string): Promise<number | null> {
  try {
    const { first } = JSON.parse(await readFile(recordPath(dataDir), 'utf8')) as { first: number }
    return inRange(first) ? first : null
  } catch (error) {
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** Whether nobody else holds the ids: no claim, our claim, or one of a data folder that does not name them any more. */
async function isFree(folder: string, first: number, dataDir: string): Promise<boolean> {
  const holder = await readIfThere(join(folder, String(first)))
  return holder === null || holder === dataDir || (await readRecord(holder)) !== first
}

/** Whether the system has an account of this id, wherever its accounts are kept. */
function hasAccount(uid: number): boolean {
  try {
    execFileSync('id', ['-u', String(uid)], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } })
    return true
  } catch {
    return false
  }
}

/** Tells whether a process runs under an id, or the system has an account of it. */
async function takenIds(): Promise<(uid: number) => boolean> {
  const running = await usersOfProcesses()
  return (uid) => running.has(uid) || hasAccount(uid)
}

/** A pair that nobody uses, chosen at random so that installations which do not see one another rarely meet. */
async function choose(folder: string | null, dataDir: string, isTaken: (uid: number) => boolean): Promise<number> {
  const offset = randomInt(pairs)
  for (let tried = 0; tried < pairs; tried += 1) {
    const first = firstDatabaseUserId + 2 * ((offset + tried) % pairs)
    if (folder !== null && !(await isFree(folder, first, dataDir))) continue
    if (!isTaken(first) && !isTaken(first + 1)) return first
  }
  throw new StartupError(
    `All user ids from ${firstDatabaseUserId} to ${firstDatabaseUserId + 2 * pairs - 1} are taken, and the database needs one of its own.`,
    'Remove data folders that are not used any more, or start Easydash as an ordinary user.',
  )
}

/** The folder in which installations of this machine note their ids; null on a system that cannot be written. */
async function openClaims(systemDir: string): Promise<string | null> {
  const folder = claimsFolder(systemDir)
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 })
    return folder
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/**
 * The user ids of an installation that root starts, the same at every start and shared with no other installation, no
 * service and no hosted site. They need no entry in the system's list of users. A copy of a data folder gets others.
 */
export async function ownUserIds(
  dataDir: string,
  systemDir: string = SYSTEM_DIR,
  isTaken?: (uid: number) => boolean,
): Promise<UserIds> {
  const here = await realpath(dataDir)
  const folder = await openClaims(systemDir)
  const settle = async (): Promise<UserIds> => {
    const known = await readRecord(here)
    const keeps = known !== null && (folder === null || (await isFree(folder, known, here)))
    const first = keeps ? known : await choose(folder, here, isTaken ?? (await takenIds()))
    // The claim first: one that its data folder does not name is nobody's.
    const claim = folder === null ? null : join(folder, String(first))
    if (claim !== null && (await readIfThere(claim)) !== here) await writeFileWhole(claim, here)
    if (!keeps) await writeFileWhole(recordPath(here), `${JSON.stringify({ version: 1, first })}\n`)
    return idsFrom(first)
  }
  return folder === null ? settle() : withLock(join(folder, 'lock'), settle)
}

/** Gives the ids of a data folder back that is about to be deleted. */
export async function releaseUserIds(dataDir: string, systemDir: string = SYSTEM_DIR): Promise<void> {
  const first = await readRecord(dataDir)
  if (first === null) return
  const claim = join(claimsFolder(systemDir), String(first))
  if ((await readIfThere(claim)) === (await realpath(dataDir))) await rm(claim, { force: true })
}
