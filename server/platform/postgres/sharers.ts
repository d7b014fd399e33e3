import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, processIdentity } from '../processes.ts'

/**
 * Who uses the built-in server of a data folder: one file per process. A command such as `doctor` beside a running
 * server borrows the database and must not stop it when it leaves.
 */
export interface Sharers {
  /** Path of the lock for whoever starts the server. */
  readonly startLock: string
  /** Registers this process. Before looking for a running server, so that nobody stops it in between. */
  join(): Promise<void>
  /** Removes this process; true when no other living process is registered. */
  leave(): Promise<boolean>
}

/** The register below the data folder. `token` tells several users inside one process apart. */
export function createSharers(dataDir: string, token: string): Sharers {
  const folder = join(dataDir, 'postgres-users')
  const mine = `${process.pid}-${token}`
  return {
    startLock: join(folder, 'start.lock'),
    async join() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, mine), processIdentity(process.pid) ?? '', { mode: 0o600 })
    },
    async leave() {
      await rm(join(folder, mine), { force: true })
      let alone = true
      for (const name of await readdir(folder).catch(() => [])) {
        if (!/^\d+-[0-9a-f]+$/.test(name)) continue
        const pid = Number(name.split('-')[0])
        const identity = await readFile(join(folder, name), 'utf8').catch(() => null)
        const living = identity !== null && isAlive(pid) && processIdentity(pid) === identity
        if (living) alone = false
        else await rm(join(folder, name), { force: true })
      }
      return alone
    },
  }
}
