import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeFileWhole } from '../data-dir.ts'
import { explainFileError, StartupError, systemErrorCode } from '../startup-error.ts'
import { completeLinks, copyBinaries, locateBinaries, type Binaries } from './binaries.ts'
import { chooseRunAs, closedFolder, type RunAs } from './run-as.ts'

/** Where the database of a data folder lives and who runs it. */
export interface Place {
  /** The folder PostgreSQL calls its data directory. */
  readonly cluster: string
  /** Parent of the cluster, owned by the account that runs it, mode 0700. */
  readonly home: string
  /** Folder of the unix socket, mode 0700. */
  readonly socketDir: string
  readonly binaries: Binaries
  readonly account: RunAs
}

/** Content of `data/postgres.json`, written when anything of the database is outside the data folder. */
interface Record {
  version: 1
  /** Folder below the system folder that holds `cluster` and/or the programs. */
  instance: string
  cluster: string
  socketDir?: string
}

/** Where the database goes when its account cannot pass through to the data folder. */
export const SYSTEM_DIR = '/var/lib/easydash'

/** Longest folder whose socket still fits into the 104 bytes of the strictest system, with reserve. */
const LONGEST_SOCKET_DIR = 99 - '/.s.PGSQL.5432'.length

const recordPath = (dataDir: string) => join(dataDir, 'postgres.json')

/** Reads `data/postgres.json`; null when the whole database is inside the data folder. */
export async function readRecord(dataDir: string): Promise<Record | null> {
  const path = recordPath(dataDir)
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<Record>
    if (value.version === 1 && typeof value.instance === 'string' && typeof value.cluster === 'string')
      return value as Record
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    if (!(error instanceof SyntaxError)) throw explainFileError(error, `The file ${path}`, 'EASYDASH_DATA_DIR')
  }
  throw new StartupError(
    `The file ${path}, which says where the database is, is damaged.`,
    `Put it back from a backup, or write {"version":1,"instance":"FOLDER","cluster":"FOLDER/cluster"} with the folder below ${SYSTEM_DIR}.`,
  )
}

function ownerOf(folder: string): { uid: number; gid: number } | null {
  if (!existsSync(folder)) return null
  const { uid, gid } = statSync(folder)
  return { uid, gid }
}

/** Makes a folder that only the account may enter. */
async function ownFolder(folder: string, account: RunAs): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  if (account.switches) await chown(folder, account.uid, account.gid)
}

async function newInstance(systemDir: string): Promise<string> {
  const instance = join(systemDir, randomBytes(6).toString('hex'))
  await mkdir(instance, { recursive: true, mode: 0o755 })
  for (const folder of [systemDir, instance]) await chmod(folder, 0o755)
  return instance
}

/** The folder of the socket: the cluster itself, or a short one of its own where the path would be too long. */
async function socketFolder(cluster: string, remembered: string | undefined, account: RunAs): Promise<string> {
  if (Buffer.byteLength(cluster) <= LONGEST_SOCKET_DIR) return cluster
  if (remembered && existsSync(remembered)) {
    const { uid, mode } = statSync(remembered)
    if (uid === account.uid && (mode & 0o077) === 0) return remembered
  }
  const usable = (folder: string) =>
    Buffer.byteLength(folder) <= LONGEST_SOCKET_DIR - 20 && !(account.switches && closedFolder(folder, account))
  const folder = await mkdtemp(join(usable(tmpdir()) ? tmpdir() : '/tmp', 'easydash-'))
  await ownFolder(folder, account)
  return folder
}

/**
 * Finds or chooses the place of the database and prepares its folders and programs; creates no database.
 * Throws `StartupError` where the account that must run it cannot reach it.
 */
export async function preparePlace(dataDir: string, systemDir: string = SYSTEM_DIR): Promise<Place> {
  const record = await readRecord(dataDir)
  const inside = join(dataDir, 'postgres', 'cluster')
  let cluster = record?.cluster ?? inside
  let instance = record?.instance ?? null
  const account = chooseRunAs(ownerOf(cluster))
  try {
    if (account.switches && !record) {
      const closed = closedFolder(dataDir, account)
      if (closed && existsSync(inside)) {
        throw new StartupError(
          `The database in ${inside} cannot be reached by the user id ${account.uid} that runs it: ${closed} is closed to others.`,
          `Open the way with "chmod o+x ${closed}", or start Easydash as the user who owns that folder.`,
        )
      }
      if (closed) {
        instance = await newInstance(systemDir)
        cluster = join(instance, 'postgres', 'cluster')
      }
    }
    await ownFolder(dirname(cluster), account)

    let binaries = await locateBinaries()
    const complete = await completeLinks(binaries.native)
    const unreachable = account.switches && closedFolder(join(binaries.native, 'bin'), account) !== null
    if (unreachable) instance ??= await newInstance(systemDir)
    if (unreachable || !complete)
      binaries = await copyBinaries(binaries, instance ?? join(dataDir, 'postgres-programs'))

    const socketDir = await socketFolder(cluster, record?.socketDir, account)
    await remember(dataDir, record, { instance, cluster, inside, socketDir })
    return { cluster, home: dirname(cluster), socketDir, binaries, account }
  } catch (error) {
    throw explainFileError(error, `The database folder ${dirname(cluster)}`, 'EASYDASH_DATA_DIR')
  }
}

async function remember(
  dataDir: string,
  old: Record | null,
  now: { instance: string | null; cluster: string; inside: string; socketDir: string },
): Promise<void> {
  const own = now.socketDir === now.cluster
  if (now.instance === null && now.cluster === now.inside && own) return
  const record: Record = {
    version: 1,
    instance: now.instance ?? dataDir,
    cluster: now.cluster,
    ...(own ? {} : { socketDir: now.socketDir }),
  }
  if (JSON.stringify(old) !== JSON.stringify(record))
    await writeFileWhole(recordPath(dataDir), `${JSON.stringify(record)}\n`)
}

/** Every folder outside the data folder that belongs to its database; for `doctor`, export and deletion. */
export async function outsideFolders(dataDir: string): Promise<string[]> {
  const record = await readRecord(dataDir)
  if (!record) return []
  const folders = record.instance === dataDir ? [] : [record.instance]
  return record.socketDir ? [...folders, record.socketDir] : folders
}

/** Deletes what of a stopped database lies outside the data folder, and the note of it. */
export async function removeOutsideFolders(dataDir: string): Promise<void> {
  for (const folder of await outsideFolders(dataDir)) await rm(folder, { recursive: true, force: true })
  await rm(recordPath(dataDir), { force: true })
}
