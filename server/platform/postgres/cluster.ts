import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { explainFileError, StartupError, systemErrorCode } from '../processes/startup-error.ts'
import { MAJOR } from './binaries.ts'
import type { ClusterLocation } from './location.ts'
import { changeOwner } from './change-owner.ts'
import { SUPERUSER } from './passwords.ts'
import { USE_DATABASE_URL } from './run-as.ts'

/** Environment of PostgreSQL's programs: they inherit nothing, so that no setting leaks into a process list. */
export const CHILD_ENV: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Spawn options that switch to the account where needed. Node also drops the supplementary groups. */
export function accountSpawnOptions(location: ClusterLocation): {
  uid?: number
  gid?: number
  cwd: string
  env: NodeJS.ProcessEnv
} {
  const { uid, gid, switches } = location.account
  return { ...(switches ? { uid, gid } : {}), cwd: location.home, env: CHILD_ENV }
}

/** Translates PostgreSQL's output before it gave up; null if it contains none of the known reasons. */
export function explainOutput(output: string, location: ClusterLocation): StartupError | null {
  if (/No space left on device|Disk quota exceeded/i.test(output)) {
    return new StartupError(
      `The database cannot start: the disk of ${location.home} is full.`,
      'Free some space, or set EASYDASH_DATA_DIR to a folder on another disk, then start again.',
    )
  }
  if (/could not (?:create|map).{0,200}shared memory/i.test(output)) {
    return new StartupError(
      'The database cannot start: the system gives it no shared memory.',
      `Free some memory (or raise the limit of the container), or ${USE_DATABASE_URL}.`,
    )
  }
  if (/could not look up effective user ID/i.test(output)) {
    return new StartupError(
      `The built-in database cannot run: user id ${location.account.uid} has no entry in the system's list of users.`,
      `Start Easydash as a user of this system, or ${USE_DATABASE_URL}.`,
    )
  }
  if (/error while loading shared libraries|version `GLIBC|no such file or directory.{0,200}postgres/i.test(output)) {
    return new StartupError(
      'The built-in database does not run on this system (a system library is missing).',
      `Use a glibc-based system such as Debian, or ${USE_DATABASE_URL}.`,
    )
  }
  return null
}

/** Last meaningful lines of PostgreSQL's output, for an unexpected error. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' ').slice(0, 500) || 'no output'
}

/** Runs `initdb` until it exits. */
function runInitdb(location: ClusterLocation, args: string[]): Promise<{ code: number | null; output: string }> {
  const { account } = location
  return new Promise((resolve, reject) => {
    const child = spawn(join(location.binaries.native, 'bin', 'initdb'), args, {
      ...accountSpawnOptions(location),
      ...(account.initdbUid === undefined ? {} : { uid: account.initdbUid }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-20_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/**
 * Whether the cluster exists. Throws `StartupError`, with nothing changed, if it belongs to another major version or is not
 * a cluster.
 */
export async function checkCluster(location: ClusterLocation): Promise<boolean> {
  if (!existsSync(location.cluster)) return false
  const version = await readFile(join(location.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return ''
    throw explainFileError(error, `The database folder ${location.cluster}`, 'EASYDASH_DATA_DIR')
  })
  if (version.trim() === MAJOR) return true
  if (version === '') {
    throw new StartupError(
      `The folder ${location.cluster} holds no PostgreSQL database.`,
      'Put the database back from a backup, or move that folder away to begin with an empty one.',
    )
  }
  throw new StartupError(
    `The database in ${location.cluster} was made by PostgreSQL ${version.trim()}, this Easydash carries version ${MAJOR}.`,
    `Start the Easydash release that made it; to start over set EASYDASH_DATA_DIR to another folder, or ${USE_DATABASE_URL}.`,
  )
}

/** Creates the cluster; it gets its final name when it is complete, and leftovers of earlier attempts are removed first. */
export async function createCluster(location: ClusterLocation): Promise<void> {
  for (const name of await readdir(location.home)) {
    if (name.startsWith('.new-')) await rm(join(location.home, name), { recursive: true, force: true })
  }
  const temporary = join(location.home, `.new-${process.pid}`)
  const { account, home } = location
  await mkdir(temporary, { mode: 0o700 })
  // Only our group can enter the parent folder: other programs of initdb's user have no access.
  if (account.switches) await chown(temporary, account.initdbUid ?? account.uid, account.gid)
  const { code, output } = await runInitdb(location, [
    '--pgdata',
    temporary,
    '--username',
    SUPERUSER,
    // All connections are rejected until the roles have passwords (`set-up.ts`).
    '--auth',
    'reject',
    '--encoding',
    'UTF8',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
    '--locale',
    'C',
    '--no-sync',
    '--no-instructions',
    '--data-checksums',
  ]).catch((error: unknown) => {
    throw new StartupError(
      `The database program ${basename(location.binaries.native)}/bin/initdb cannot be started (${systemErrorCode(error)}).`,
      `Run "npm ci" again, or ${USE_DATABASE_URL}.`,
      error,
    )
  })
  if (code !== 0) {
    await rm(temporary, { recursive: true, force: true })
    throw (
      explainOutput(output, location) ??
      new StartupError(
        `The database could not be created: ${lastLines(output)}`,
        `Check that ${home} can be written, or ${USE_DATABASE_URL}.`,
      )
    )
  }
  if (account.initdbUid !== undefined) await changeOwner(temporary, account.initdbUid, account)
  await rename(temporary, location.cluster)
}
