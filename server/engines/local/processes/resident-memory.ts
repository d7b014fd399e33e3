import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Resident memory of a process in MB; null if it is gone. */
export async function residentMb(pid: number): Promise<number | null> {
  if (process.platform === 'linux') {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1]
      // A process that has just ended reports no memory.
      return kilobytes === undefined ? null : Number(kilobytes) / 1024
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === 'ENOENT' || code === 'ESRCH') return null
      throw error
    }
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, output) =>
      resolve(error === null ? Number(output) / 1024 : null),
    )
  })
}
