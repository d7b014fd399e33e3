import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, processIdentity } from '../processes/processes.ts'

/**
 * Processes that use the built-in server of a data folder: one file per process. A command such as `doctor` that runs next
 * to a server shares the database and must not stop it when it exits.
 */
export interface ServerClients {
  /** Path of the lock held while starting the server. */
  readonly startLock: string
  /** Registers this process. Call this before looking for a running server, so that nobody stops it in between. */
  join(): Promise<void>
  /** Marks this process as having connections. */
  use(): Promise<void>
  /** Process ids of the others that have connections. */
  users(): Promise<number[]>
  /** Unregisters this process; true if no other running process is registered. */
  leave(): Promise<boolean>
}

/** The register in the data folder. `token` distinguishes several users within one process. */
export function createServerClients(dataDir: string, token: string): ServerClients {
  const folder = join(dataDir, 'postgres-users')
  const mine = `${process.pid}-${token}`

  /** Process ids of the others that are running; files of dead ones are removed. */
  const living = async (pattern: RegExp): Promise<number[]> => {
    const found: number[] = []
    for (const name of await readdir(folder).catch(() => [])) {
      if (!pattern.test(name) || name.startsWith(mine)) continue
      const pid = Number(name.split('-')[0])
      const identity = await readFile(join(folder, name), 'utf8').catch(() => null)
      if (identity !== null && isAlive(pid) && processIdentity(pid) === identity) found.push(pid)
      else await rm(join(folder, name), { force: true })
    }
    return found
  }

  return {
    startLock: join(folder, 'start.lock'),
    async join() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, `${mine}.waiting`), processIdentity(process.pid) ?? '', { mode: 0o600 })
    },
    async use() {
      await rename(join(folder, `${mine}.waiting`), join(folder, mine))
    },
    users: () => living(/^\d+-[0-9a-f]+$/),
    async leave() {
      for (const name of [mine, `${mine}.waiting`]) await rm(join(folder, name), { force: true })
      return (await living(/^\d+-[0-9a-f]+(?:\.waiting)?$/)).length === 0
    },
  }
}
