import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Size of a memory page in bytes as used in resident counts; the same on every supported Linux. */
const pageBytes = 4096

/** One process as listed in `/proc`. */
interface Member {
  readonly pid: number
  readonly group: number
  readonly isZombie: boolean
  readonly residentBytes: number
}

async function everyProcess(): Promise<Member[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name): Promise<Member | null> => {
      // The process may have ended since the folder was read.
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields.length < 22) return null
      return {
        pid: Number(name),
        group: Number(fields[2]),
        isZombie: fields[0] === 'Z',
        residentBytes: Number(fields[21]) * pageBytes,
      }
    }),
  )
  return found.filter((one) => one !== null)
}

/**
 * Resident memory of all processes in a group in megabytes; shared memory is counted for each process. Null if the system
 * does not report it (not Linux).
 */
export async function groupResidentMb(group: number): Promise<number | null> {
  if (process.platform !== 'linux') return null
  const members = (await everyProcess()).filter((one) => one.group === group)
  return members.reduce((sum, one) => sum + one.residentBytes, 0) / 2 ** 20
}

/** Kills every process in a group and waits up to five seconds until they are gone. */
export async function killGroup(group: number): Promise<void> {
  for (const deadline = Date.now() + 5_000; Date.now() < deadline; await delay(10)) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch (error) {
      // None is left; or (macOS) only a zombie.
      if (['ESRCH', 'EPERM'].includes(systemErrorCode(error))) return
      throw error
    }
    if (process.platform !== 'linux') return
    const alive = (await everyProcess()).some((one) => one.group === group && !one.isZombie)
    if (!alive) return
  }
}
