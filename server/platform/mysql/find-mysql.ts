import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installed programs of MariaDB or MySQL. */
export interface MysqlPrograms {
  /** The server; null if only clients are installed. */
  readonly server: MysqlServerProgram | null
  /** The command line client, and the program that writes dumps. */
  readonly client: string
  readonly dump: string
}

/** An installed server. */
export interface MysqlServerProgram {
  readonly path: string
  readonly product: 'MariaDB' | 'MySQL'
  /** For example `10.11.19`. */
  readonly version: string
  /** Whether it can lock accounts, which stops the database of a stopped site. */
  readonly isRecentEnough: boolean
  /** Creates the data folder of a MariaDB; null for MySQL, whose server does that itself. */
  readonly install: string | null
}

/** Where packages put the programs without adding the folder to PATH. */
const usualFolders = [
  '/usr/bin',
  '/usr/sbin',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/mysql/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/opt/homebrew/opt/mysql/bin',
]

/** `ACCOUNT LOCK` exists since MariaDB 10.4 (mariadb.com/kb/en/account-locking) and MySQL 5.7; MySQL 8 is the oldest supported. */
const oldest = { MariaDB: [10, 4], MySQL: [8, 0] } as const

/** Finds MariaDB's or MySQL's programs on PATH and in the usual folders; null unless both clients are installed. */
export async function findMysql(path: string = process.env['PATH'] ?? ''): Promise<MysqlPrograms | null> {
  const folders = [...path.split(delimiter).filter((folder) => folder.startsWith('/')), ...usualFolders]
  const find = (...names: string[]): string | null =>
    names.flatMap((name) => folders.map((folder) => join(folder, name))).find((one) => existsSync(one)) ?? null
  const client = find('mariadb', 'mysql')
  const dump = find('mariadb-dump', 'mysqldump')
  if (client === null || dump === null) return null
  const server = find('mariadbd', 'mysqld')
  const about = server === null ? null : await versionOf(server)
  if (server === null || about === null) return { server: null, client, dump }
  const install = about.product === 'MariaDB' ? find('mariadb-install-db', 'mysql_install_db') : null
  // Some packages have MariaDB's server without the program that creates its data folder.
  const isComplete = about.product === 'MySQL' || install !== null
  return { server: isComplete ? { path: server, ...about, install } : null, client, dump }
}

/** What a server says about itself; null if it can't be run. */
async function versionOf(
  server: string,
): Promise<Pick<MysqlServerProgram, 'product' | 'version' | 'isRecentEnough'> | null> {
  try {
    const { stdout } = await run(server, ['--no-defaults', '--version'], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: 10_000,
    })
    return parseVersion(stdout)
  } catch {
    return null
  }
}

/** Parses the output of `mariadbd --version` or `mysqld --version`; null if it is neither. */
export function parseVersion(text: string): Pick<MysqlServerProgram, 'product' | 'version' | 'isRecentEnough'> | null {
  const version = /\bVer (\d{1,3})\.(\d{1,3})\.(\d{1,5})/.exec(text.slice(0, 1_000))
  if (version === null) return null
  const [, major, minor, patch] = version.map(Number)
  if (major === undefined || minor === undefined) return null
  const product = /mariadb/i.test(text.slice(0, 1_000)) ? 'MariaDB' : 'MySQL'
  const [oldestMajor, oldestMinor] = oldest[product]
  return {
    product,
    version: `${major}.${minor}.${patch ?? 0}`,
    isRecentEnough: major > oldestMajor || (major === oldestMajor && minor >= oldestMinor),
  }
}
