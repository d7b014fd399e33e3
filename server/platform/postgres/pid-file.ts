import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readPrivateFile } from '../secrets/private-file.ts'
import { isAlive, processFolder, processName } from '../processes/processes.ts'

/** Facts about a running server from `postmaster.pid`. */
export interface PidFile {
  pid: number
  /** Folder of its unix socket; '' while it is starting. */
  socketDir: string
  /** `starting`, `ready`, `stopping` or `standby`; '' before the first of them. */
  status: string
}

/** Reads `postmaster.pid`; null if it is missing or not written yet. */
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const found = await readPrivateFile(join(cluster, 'postmaster.pid')).catch(() => null)
  const lines = (found?.text ?? '').split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 1 ? { pid, socketDir: lines[4] ?? '', status: lines[7] ?? '' } : null
}

/** The server currently running on this cluster, or null. Stale files and reused process ids are detected. */
export async function runningServer(cluster: string): Promise<PidFile | null> {
  const file = await readPidFile(cluster)
  return file && isAlive(file.pid) && (await isServerOf(cluster, file.pid)) ? file : null
}

/**
 * Whether a process is a PostgreSQL server of this cluster and not of another one: a server's working directory is its
 * cluster.
 */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if (processName(pid) !== 'postgres') return false
  const folder = processFolder(pid)
  return folder === null || folder === (await realpath(cluster))
}
