import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MysqlServerProgram } from './find-mysql.ts'

const run = promisify(execFile)

/** Creating the system tables takes 2 s; a slow disk may need this long. */
const createWithinMs = 120_000

/** The user and group a server runs as; null: those of this process. */
export type MysqlAccount = { readonly uid: number; readonly gid: number } | null

/** Files of a server; its account owns them. */
export interface MysqlFolder {
  readonly home: string
  /** Databases. */
  readonly data: string
  /** The only folder that statements could read files from or write them to. Empty. */
  readonly files: string
  /** Files of statements that sort or group a lot. Emptied at each start. */
  readonly temporary: string
}

/** The folders below `home`. */
export function mysqlFolder(home: string): MysqlFolder {
  return { home, data: join(home, 'data'), files: join(home, 'files'), temporary: join(home, 'tmp') }
}

/** Environment of MySQL's programs: they inherit nothing. */
export const programEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } as const

/** Spawn options that switch to the account where needed. */
export function asAccount(account: MysqlAccount): { uid?: number; gid?: number; cwd: string } {
  return { ...account, cwd: '/' }
}

/**
 * Creates the folder of a server unless it exists; the system tables get their final name when they are complete.
 * @throws {Error} if they can't be created, with what the program said
 */
export async function createMysqlFolder(
  program: MysqlServerProgram,
  { home, data, files, temporary }: MysqlFolder,
  account: MysqlAccount,
): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  await ownFolder(home, account)
  const leftovers = (await readdir(home)).filter((name) => name.startsWith('.new-'))
  await removeAs(account, [temporary, ...leftovers.map((name) => join(home, name))])
  for (const folder of [files, temporary]) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await ownFolder(folder, account)
  }
  if (existsSync(data)) return
  const fresh = join(home, `.new-${process.pid}`)
  await mkdir(fresh, { mode: 0o700 })
  await ownFolder(fresh, account)
  // The administrator has no password yet: `startMysqlServer` sets one before the server takes its first connection.
  const [file, args] =
    program.install === null
      ? [program.path, ['--no-defaults', '--initialize-insecure', `--datadir=${fresh}`]]
      : [
          program.install,
          [
            '--no-defaults',
            `--datadir=${fresh}`,
            '--auth-root-authentication-method=normal',
            '--skip-test-db',
            '--skip-name-resolve',
            '--innodb-log-file-size=16M',
          ],
        ]
  try {
    await run(file, args, { ...asAccount(account), env: programEnv, timeout: createWithinMs, maxBuffer: 4 * 1024 ** 2 })
  } catch (error) {
    await removeAs(account, [fresh])
    throw new Error(`The system tables of ${program.product} could not be created.`, { cause: error })
  }
  await rename(fresh, data)
}

/** Through a handle: the account can replace the folders in its own by links to any other one. */
async function ownFolder(folder: string, account: MysqlAccount): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    if (account !== null) await handle.chown(account.uid, account.gid)
    await handle.chmod(0o700)
  } finally {
    await handle.close()
  }
}

/** Removes what is in the account's folder with the account's rights: it could exchange a folder for a link meanwhile. */
async function removeAs(account: MysqlAccount, paths: readonly string[]): Promise<void> {
  await run('/bin/rm', ['-rf', '--', ...paths], { ...asAccount(account), env: programEnv, timeout: createWithinMs })
}
