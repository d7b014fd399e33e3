import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { mysqlFolder, type MysqlAccount, type MysqlFolder } from '#server/platform/mysql/mysql-folder.ts'
import { changeOwner } from '#server/platform/postgres/change-owner.ts'
import { privateFolder, systemFolder } from '#server/platform/postgres/location.ts'
import { findInaccessibleFolder } from '#server/platform/postgres/run-as.ts'
import type { LocalEngineLog } from '../options.ts'
import { firstUid, openSiteUsers } from '../sites/site-users.ts'

/** Longest path of a unix socket on the strictest system, with a reserve. */
const longestSocket = 99

/** Where the engine's own server keeps its databases, and as whom it runs. */
export interface MysqlHome {
  readonly folder: MysqlFolder
  readonly account: MysqlAccount
  readonly socket: string
}

/**
 * Prepares the parent folder. As root, the server runs as a user of its own, who may have no access to the data folder; then
 * the databases are in the installation's folder below the system folder.
 */
export async function prepareMysqlHome(dataDir: string, log: LocalEngineLog): Promise<MysqlHome> {
  const root = join(dataDir, 'local')
  const inside = join(root, 'mysql')
  // Also the sign that the user id is in use.
  await mkdir(inside, { recursive: true, mode: 0o700 })
  if (process.getuid?.() !== 0) return settled(inside, null)
  const known = (await ownerBelow(inside)) ?? (await ownerBelow(join(await systemFolder(dataDir), 'mysql')))
  const users = await openSiteUsers(root, log)
  const uid = (await users.claim('mysql', known)) ?? (await users.claim('mysql', null))
  if (uid === null) throw new Error('There is no user id for the database server.')
  const account = { uid, gid: uid, switches: true }
  const isOpen = findInaccessibleFolder(root, account) === null
  const home = isOpen || (await exists(join(inside, 'data'))) ? inside : join(await systemFolder(dataDir), 'mysql')
  // The data folder was copied: another installation has the user it belonged to.
  if (known !== null && known !== uid)
    for (const folder of Object.values(mysqlFolder(home)))
      if (folder !== home && (await exists(folder))) await changeOwner(folder, known, account)
  return settled(home, account)
}

async function settled(home: string, account: (MysqlAccount & { switches?: boolean }) | null): Promise<MysqlHome> {
  const owner = account === null ? null : { uid: account.uid, gid: account.gid }
  const near = join(home, 'mysql.sock')
  const runAs = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1, switches: false }
  const socket =
    Buffer.byteLength(near) <= longestSocket
      ? near
      : join(await privateFolder(owner === null ? runAs : { ...owner, switches: true }), 'mysql.sock')
  return { folder: mysqlFolder(home), account: owner, socket }
}

/** The user of existing databases; null if there are none, or not of a user that the engine assigns. */
async function ownerBelow(home: string): Promise<number | null> {
  const data = join(home, 'data')
  if (!(await exists(data))) return null
  const { uid } = await lstat(data)
  return uid >= firstUid ? uid : null
}
