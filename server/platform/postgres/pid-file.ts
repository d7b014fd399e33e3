import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, processName } from '../processes.ts'

/** What a running server says about itself in `postmaster.pid`. */
export interface PidFile {
  pid: number
  /** Folder of its unix socket; '' while it is starting. */
  socketDir: string
  /** `starting`, `ready`, `stopping` or `standby`; '' before the first of them. */
  status: string
}

/** Reads `postmaster.pid`; null when it is missing or not written yet. */
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 1 ? { pid, socketDir: lines[4] ?? '', status: lines[7] ?? '' } : null
}

/** The server that runs on this cluster now, or null. A stale file and a reused process id are not mistaken for one. */
export async function runningServer(cluster: string): Promise<PidFile | null> {
  const file = await readPidFile(cluster)
  return file && isAlive(file.pid) && processName(file.pid) === 'postgres' ? file : null
}
