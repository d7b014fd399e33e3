import { parseOwnJson } from '#shared/parse-json.ts'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { writeFileAtomic } from '../config/data-dir.ts'
import { explainFileError, StartupError, systemErrorCode } from '../processes/startup-error.ts'
import { SYSTEM_DIR } from '../config/system-dir.ts'
import { isDatabaseUserId, releaseUserIds } from '../processes/user-ids.ts'
import { createLibraryLinks, copyBinaries, locateBinaries, type Binaries } from './binaries.ts'
import { chooseRunAs, findInaccessibleFolder, nobodyOwnerReason, type RunAs } from './run-as.ts'

/** Location of a data folder's database and the account that runs it. */
export interface ClusterLocation {
  /** PostgreSQL's data directory. */
  readonly cluster: string
  /** Parent of the cluster. Only its account can enter; when started as root, the account itself can't write to it. */
  readonly home: string
  /** Folder of the unix socket, mode 0700. */
  readonly socketDir: string
  readonly binaries: Binaries
  readonly account: RunAs
  /** User id that owns the cluster until it is transferred to `account`; null if `account` owns it. */
  readonly formerOwner: number | null
}

/** Content of `data/postgres.json`, written if any part of the database is outside the data folder. */
interface LocationRecord {
  version: 1
  /** Folder below the system folder that contains the cluster and/or the programs. */
  instance?: string
  /** The cluster, if it is outside. */
  cluster?: string
  /** True once that cluster was created: if it is missing after that, data was lost. */
  created?: boolean
  /** Folder of the socket, if it is not the cluster. */
  socketDir?: string
}

/** Longest folder path whose socket still fits into the 104 bytes of the strictest system, with a reserve. */
const LONGEST_SOCKET_DIR = 99 - '/.s.PGSQL.5432'.length

const recordPath = (dataDir: string) => join(dataDir, 'postgres.json')
const insideCluster = (dataDir: string) => join(dataDir, 'postgres', 'cluster')

/** Reads `data/postgres.json`; empty if the whole database is inside the data folder. */
async function readRecord(dataDir: string): Promise<LocationRecord> {
  const path = recordPath(dataDir)
  try {
    const value = parseOwnJson<LocationRecord>(await readFile(path, 'utf8'))
    const texts = [value.instance, value.cluster, value.socketDir]
    if (
      value.version === 1 &&
      texts.every((text) => text === undefined || (typeof text === 'string' && isAbsolute(text)))
    )
      return value
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { version: 1 }
    if (!(error instanceof SyntaxError || error instanceof TypeError))
      throw explainFileError(error, `The file ${path}`, 'EASYDASH_DATA_DIR')
  }
  throw new StartupError(
    `The file ${path}, which says where the database is, is damaged.`,
    `Put it back from a backup, or write {"version":1,"instance":"FOLDER","cluster":"FOLDER/postgres/cluster","created":true} into it, with the folder below ${SYSTEM_DIR}.`,
  )
}

async function writeRecord(dataDir: string, record: LocationRecord): Promise<void> {
  const text = `${JSON.stringify(record)}\n`
  const old = await readFile(recordPath(dataDir), 'utf8').catch(() => '')
  const empty = !record.instance && !record.socketDir
  if (text !== old && !(empty && old === '')) await writeFileAtomic(recordPath(dataDir), text)
}

/** Records that a cluster outside the data folder exists now. */
export async function recordClusterCreated(dataDir: string): Promise<void> {
  const record = await readRecord(dataDir)
  if (record.cluster) await writeRecord(dataDir, { ...record, created: true })
}

function ownerOf(folder: string): { uid: number; gid: number } | null {
  if (!existsSync(folder)) return null
  const { uid, gid } = statSync(folder)
  return { uid, gid }
}

/**
 * Creates the cluster's parent folder, which only the account can enter. When started as root it stays root's, so that the
 * account can't replace the cluster.
 */
export async function prepareHome(home: string, account: RunAs): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  if (account.switches) await chown(home, 0, account.gid)
  await chmod(home, account.switches ? 0o710 : 0o700)
}

/**
 * Creates the parent folder of a new cluster. False if the file system can't change owners (a network share that does not
 * trust root, a host folder inside a virtual machine).
 */
async function prepareNewHome(home: string, account: RunAs): Promise<boolean> {
  let probe: string | null = null
  try {
    await prepareHome(home, account)
    if (!account.switches) return statSync(home).uid === account.uid
    probe = await mkdtemp(join(home, '.owner-test-'))
    await chown(probe, account.uid, account.gid)
    return statSync(home).gid === account.gid && statSync(probe).uid === account.uid
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOTSUP', 'ENOSYS'].includes(systemErrorCode(error))) throw error
    return false
  } finally {
    if (probe !== null) await rm(probe, { recursive: true, force: true })
  }
}

/** A new folder with a short path that only the account can enter, for a socket. */
export async function privateFolder(account: RunAs): Promise<string> {
  const usable = (folder: string) =>
    Buffer.byteLength(folder) <= LONGEST_SOCKET_DIR - 20 &&
    !(account.switches && findInaccessibleFolder(folder, account))
  const folder = await mkdtemp(join(usable(tmpdir()) ? tmpdir() : '/tmp', 'easydash-'))
  if (account.switches) await chown(folder, account.uid, account.gid)
  return folder
}

async function newInstance(systemDir: string, dataDir: string): Promise<string> {
  const instance = join(systemDir, randomBytes(6).toString('hex'))
  await mkdir(instance, { recursive: true, mode: 0o755 })
  for (const folder of [systemDir, instance]) await chmod(folder, 0o755)
  await writeFile(join(instance, 'owner'), dataDir, { mode: 0o600 })
  return instance
}

/**
 * The installation's folder below the system folder, for programs whose account has no access to the data folder; created if
 * there is none.
 */
export async function systemFolder(dataDir: string, systemDir: string = SYSTEM_DIR): Promise<string> {
  const record = await readRecord(dataDir)
  if (record.instance !== undefined) return record.instance
  const instance = await newInstance(systemDir, dataDir)
  await writeRecord(dataDir, { ...record, instance })
  return instance
}

/** The folder of the socket: the cluster itself, or a separate short one if the path would be too long. */
async function socketFolder(cluster: string, remembered: string | undefined, account: RunAs): Promise<string> {
  if (Buffer.byteLength(cluster) <= LONGEST_SOCKET_DIR) return cluster
  if (remembered && existsSync(remembered)) {
    const { uid, mode } = statSync(remembered)
    if (uid === account.uid && (mode & 0o077) === 0) return remembered
  }
  return privateFolder(account)
}

/**
 * Keeps the database in the data folder if its account has access there; otherwise creates a folder below the system folder.
 */
async function chooseCluster(
  dataDir: string,
  systemDir: string,
  account: RunAs,
): Promise<{ instance?: string; cluster: string }> {
  const inside = insideCluster(dataDir)
  const closed = account.switches ? findInaccessibleFolder(dataDir, account) : null
  if (closed && existsSync(inside)) {
    throw new StartupError(
      `The database in ${inside} cannot be reached by the user id ${account.uid} that runs it: ${closed} is closed to others.`,
      `Open the way with "chmod o+x ${closed}", or start Easydash as the user who owns that folder.`,
    )
  }
  if (existsSync(inside)) return { cluster: inside }
  if (!closed && (await prepareNewHome(dirname(inside), account))) return { cluster: inside }
  if (!account.switches) return { cluster: inside }
  if (!closed) await rm(dirname(inside), { recursive: true })
  const instance = await newInstance(systemDir, dataDir)
  const cluster = join(instance, 'postgres', 'cluster')
  await prepareNewHome(dirname(cluster), account)
  return { instance, cluster }
}

/**
 * Determines the location of the database and prepares its folders and programs; creates no database. Throws `StartupError`
 * if the account that must run it has no access.
 */
export async function prepareLocation(dataDir: string, systemDir: string = SYSTEM_DIR): Promise<ClusterLocation> {
  const record = await readRecord(dataDir)
  const known = record.cluster ?? insideCluster(dataDir)
  if (record.created && !existsSync(known)) {
    throw new StartupError(
      `The database of ${dataDir} was in ${known} and is gone.`,
      `Put that folder back from a backup, or remove ${recordPath(dataDir)} to begin with an empty database.`,
    )
  }
  const owner = ownerOf(known)
  const account = await chooseRunAs(owner, dataDir, systemDir)
  const formerOwner = owner && owner.uid !== account.uid ? owner.uid : null
  try {
    const chosen = record.cluster ? { cluster: record.cluster } : await chooseCluster(dataDir, systemDir, account)
    const { cluster } = chosen
    const isOwnAccount = !account.switches || isDatabaseUserId(account.uid)
    if (existsSync(cluster) && formerOwner === null && isOwnAccount) await prepareHome(dirname(cluster), account)
    let instance = record.instance ?? chosen.instance

    let binaries = await locateBinaries()
    const complete = await createLibraryLinks(binaries.native)
    const unreachable = account.switches && findInaccessibleFolder(join(binaries.native, 'bin'), account) !== null
    if (unreachable) instance ??= await newInstance(systemDir, dataDir)
    if (unreachable || !complete)
      binaries = await copyBinaries(binaries, instance ?? join(dataDir, 'postgres-programs'))

    const socketDir = await socketFolder(cluster, record.socketDir, account)
    await writeRecord(dataDir, {
      version: 1,
      ...(instance ? { instance } : {}),
      ...(cluster === insideCluster(dataDir) ? {} : { cluster, created: record.created ?? false }),
      ...(socketDir === cluster ? {} : { socketDir }),
    })
    return { cluster, home: dirname(cluster), socketDir, binaries, account, formerOwner }
  } catch (error) {
    throw explainFileError(error, `The database folder ${dirname(known)}`, 'EASYDASH_DATA_DIR')
  }
}

/** Why the database's files belong to the system's shared `nobody`; null if they do not. */
export async function sharedAccount(dataDir: string): Promise<string | null> {
  const record = await readRecord(dataDir)
  const owner = ownerOf(record.cluster ?? insideCluster(dataDir))
  return owner === null ? null : nobodyOwnerReason(owner)
}

/** Every folder outside the data folder that belongs to its database; for `doctor`, export and deletion. */
export async function outsideFolders(dataDir: string): Promise<string[]> {
  const { instance, socketDir } = await readRecord(dataDir)
  return [instance, socketDir].filter((folder) => folder !== undefined)
}

/**
 * Folders below the system folder that no data folder references any more: it was deleted by hand, or its disk is not
 * mounted. For `doctor` to report; they are never deleted automatically.
 */
export async function abandonedFolders(systemDir: string = SYSTEM_DIR): Promise<string[]> {
  const abandoned: string[] = []
  for (const name of await readdir(systemDir).catch(() => [])) {
    const folder = join(systemDir, name)
    // Browsers shared by all installations (`browser/find-browser.ts`), and the record of user ids.
    if (name.startsWith('chromium-') || name === 'user-ids') continue
    const dataDir = await readFile(join(folder, 'owner'), 'utf8').catch(() => null)
    const named = dataDir === null ? [] : await outsideFolders(dataDir).catch(() => [folder])
    if (!named.includes(folder)) abandoned.push(folder)
  }
  return abandoned
}

/** Deletes the parts of a stopped database outside the data folder, and the record of them. */
export async function removeOutsideFolders(dataDir: string, systemDir?: string): Promise<void> {
  await releaseUserIds(dataDir, systemDir)
  for (const folder of await outsideFolders(dataDir)) await rm(folder, { recursive: true, force: true })
  await rm(recordPath(dataDir), { force: true })
}
