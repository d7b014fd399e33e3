/** Has something happen to a simulated server in the middle of its scripts: before or after one of the programs that they call. */
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import type { EeServer } from './ee-server.ts'

/** Programs of which scripts consist. */
const programs = ['docker', 'mv', 'rm', 'mkdir', 'tar', 'gzip', 'chown', 'cp']

/**
 * When, and what: the machine loses its power and is started again, the script waits, or what it has docker run waits in its container, whatever
 * becomes of the script.
 */
export interface Moment {
  readonly what: 'reboot' | 'pause' | 'outlive'
  readonly when: 'before' | 'after'
  /** A regular expression of POSIX for the program and its arguments. */
  readonly call: string
  /** Which of these calls. Default: the first. */
  readonly number?: number
}

export interface Moments {
  /** It happens once; what waits at another one goes on waiting. */
  plan(moment: Moment): Promise<void>
  /** Resolves as soon as it has come. */
  come(): Promise<void>
  hasCome(): Promise<boolean>
  /** What waits goes on, and nothing is planned any more. */
  clear(): Promise<void>
  /** Resolves when what was in a container has ended. */
  outlived(): Promise<void>
}

/** Calls of a restore that change anything; what looks at the server beside it makes none of them. */
export const callsOfRestores = 'easydash-restore|^docker exec'

/** Puts itself in front of the programs of a server, which has none of its own for most. */
export async function watchPrograms({ root }: Pick<EeServer, 'root'>): Promise<Moments> {
  const folder = join(root, 'var/lib/simulated/moment')
  await mkdir(folder, { recursive: true })
  for (const program of programs) {
    const path = join(root, 'bin', program)
    await rm(path, { force: true })
    await copyFile(join(import.meta.dirname, 'ee-moment.sh'), path)
    await chmod(path, 0o755)
  }
  let plans = 0
  const hasCome = () => exists(join(folder, `came-${plans}`))
  return {
    async plan({ what, when, call, number = 1 }) {
      plans += 1
      await writeFile(join(folder, 'left'), String(number))
      await writeFile(join(folder, 'moment'), `came-${plans} ${what} ${when} ${call}\n`)
    },
    hasCome,
    async come() {
      await expect.poll(hasCome).toBe(true)
    },
    async outlived() {
      const process = (await readFile(join(folder, 'process'), 'utf8')).trim()
      await expect.poll(() => exists(join('/proc', process))).toBe(false)
    },
    async clear() {
      for (const name of await readdir(folder))
        if (name !== 'process') await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}
