import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crashPoint } from '../processes/crash-point.ts'
import { hasRules, setUpRules, writeForAccount, writeRules } from './access-rules.ts'
import { changeOwner } from './change-owner.ts'
import { newPasswords, readPasswords, writePasswords, type RolePasswords } from './passwords.ts'
import { prepareHome, privateFolder, type ClusterLocation } from './location.ts'
import { PORT, spawnWithRetry, stopServer, type ServerSettings } from './process.ts'
import { setUpRoles } from './roles.ts'
import { isDatabaseUserId } from '../processes/user-ids.ts'

/** Crash points of the setup, in order, for tests. */
export const setupCrashPoints = [
  'change-owner',
  'set-up-started',
  'roles-done',
  'rules-written',
  'passwords-written',
] as const

/**
 * The passwords of a cluster with our roles and access rules; null for a new cluster, one that belongs to another account (a
 * copy), one whose setup was interrupted, and one whose password files are missing or were readable by others.
 */
export async function loadRolePasswords(location: ClusterLocation, dataDir: string): Promise<RolePasswords | null> {
  if (location.formerOwner !== null || !(await hasRules(location))) return null
  return readPasswords(dataDir)
}

/**
 * Sets up a cluster on which no server runs: owner, roles with fresh passwords, a database owned by the product's role, and
 * access rules that require a password. The part that marks it as complete is written last, so an interrupted setup is
 * repeated. `settings`: of the server during setup.
 */
export async function setUpCluster(
  location: ClusterLocation,
  dataDir: string,
  settings: ServerSettings = {},
): Promise<RolePasswords> {
  const { account, cluster, formerOwner, home } = location
  if (formerOwner !== null) {
    // Revokes access before any owner changes.
    await prepareHome(home, account)
    crashPoint(`postgres/${setupCrashPoints[0]}`)
    await changeOwner(cluster, formerOwner, account)
  }
  const passwords = newPasswords()
  await withSetUpServer(location, dataDir, settings, async (host) => {
    crashPoint(`postgres/${setupCrashPoints[1]}`)
    await setUpRoles({ host, port: PORT }, passwords)
    crashPoint(`postgres/${setupCrashPoints[2]}`)
  })
  await writeRules(location)
  crashPoint(`postgres/${setupCrashPoints[3]}`)
  await writePasswords(dataDir, passwords, account.switches && !isOwnAccount(location) ? account.uid : null)
  crashPoint(`postgres/${setupCrashPoints[4]}`)
  return passwords
}

/** An account dedicated to the database, not a user that root acts for. */
const isOwnAccount = ({ account }: ClusterLocation) =>
  isDatabaseUserId(account.uid) || account.sharedBecause !== undefined

/** Runs a server that accepts its superuser without a password, on a socket that nobody else can reach. */
async function withSetUpServer(
  location: ClusterLocation,
  dataDir: string,
  settings: ServerSettings,
  work: (socketDir: string) => Promise<void>,
) {
  const folder = await privateFolder(location.account)
  try {
    const rulesFile = join(folder, 'hba.conf')
    await writeForAccount(rulesFile, setUpRules, location)
    const server = await spawnWithRetry({ ...location, socketDir: folder }, dataDir, {
      ...settings,
      hba_file: rulesFile,
    })
    try {
      await work(folder)
    } finally {
      await stopServer(server)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
