import { parseOwnJson } from '#shared/parse-json.ts'
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../config/data-dir.ts'
import { withLock } from './lock-file.ts'
import { StartupError, systemErrorCode } from './startup-error.ts'
import { SYSTEM_DIR } from '../config/system-dir.ts'
import { userIdsWithProcesses } from './user-processes.ts'
import { readFileIfExists } from '../files/read-file-if-exists.ts'

/** User ids for an installation's own programs when started as root. Group ids are the same numbers. */
export interface UserIds {
  readonly postgres: number
  readonly browser: number
}

/**
 * Above the ids of users and services, below those of hosted sites (`engines/local/sites/site-store.ts`). Two per
 * installation.
 */
export const firstDatabaseUserId = 53_000
const pairs = 499

const inRange = (first: number) =>
  Number.isInteger(first) && first >= firstDatabaseUserId && first < firstDatabaseUserId + 2 * pairs && first % 2 === 0
const idsFrom = (first: number): UserIds => ({ postgres: first, browser: first + 1 })

/** Whether an installation assigned this user id to its database. */
export const isDatabaseUserId = (uid: number): boolean => inRange(uid)

const recordPath = (dataDir: string) => join(dataDir, 'user-ids.json')
const claimsFolder = (systemDir: string) => join(systemDir, 'user-ids')

/** The ids recorded in a data folder; null if there are none. */
async function readRecord(dataDir: string): Promise<number | null> {
  try {
    const { first } = parseOwnJson<{ first: number }>(await readFile(recordPath(dataDir), 'utf8'))
    return inRange(first) ? first : null
  } catch (error) {
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** Whether the ids are unclaimed: no claim, our own claim, or one whose data folder no longer records them. */
async function isFree(folder: string, first: number, dataDir: string): Promise<boolean> {
  const holder = await readFileIfExists(join(folder, String(first)))
  return holder === null || holder === dataDir || (await readRecord(holder)) !== first
}

/** Whether the system has an account with this id, in any account database. */
function hasAccount(uid: number): boolean {
  try {
    execFileSync('id', ['-u', String(uid)], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } })
    return true
  } catch {
    return false
  }
}

/** Returns a check for ids that a running process or a system account uses. */
async function takenIds(): Promise<(uid: number) => boolean> {
  const running = await userIdsWithProcesses()
  return (uid) => running.has(uid) || hasAccount(uid)
}

/** An unused pair, chosen at random so that installations that can't see each other rarely collide. */
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

/** The folder in which installations on this machine record their ids; null if the system is read-only. */
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
 * The user ids of an installation started as root: the same at every start, shared with no other installation, service or
 * hosted site. They need no entry in the system's user database. A copy of a data folder gets new ones.
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
    // Write the claim first: a claim whose data folder does not record it counts as unclaimed.
    const claim = folder === null ? null : join(folder, String(first))
    if (claim !== null && (await readFileIfExists(claim)) !== here) await writeFileAtomic(claim, here)
    if (!keeps) await writeFileAtomic(recordPath(here), `${JSON.stringify({ version: 1, first })}\n`)
    return idsFrom(first)
  }
  return folder === null ? settle() : withLock(join(folder, 'lock'), settle)
}

/** Releases the ids of a data folder that is about to be deleted. */
export async function releaseUserIds(dataDir: string, systemDir: string = SYSTEM_DIR): Promise<void> {
  const first = await readRecord(dataDir)
  if (first === null) return
  const claim = join(claimsFolder(systemDir), String(first))
  if ((await readFileIfExists(claim)) === (await realpath(dataDir))) await rm(claim, { force: true })
}
