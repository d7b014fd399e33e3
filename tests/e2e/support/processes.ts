/** The processes of a running product, from the operating system. Linux only; empty elsewhere. */
import { readFile, readdir, readlink } from 'node:fs/promises'

/** A process of the system. */
export interface ProcessInfo {
  pid: number
  parent: number
  /** Its command line, separated by spaces. */
  command: string
  /** Its environment as one string; empty if not readable. */
  environment: string
  /** Its working directory (for a site's process, the site's folder); null if not readable. */
  folder: string | null
}

/** Tracks which processes belong to a product. */
export interface ProcessWatch {
  /**
   * Running processes: descendants of `leader`, all that name the data folder, and known ones that survived their parent.
   * Site processes don't name it, so call this while their parent is alive to find them later.
   */
  running(leader: number | null): Promise<ProcessInfo[]>
}

interface Entry extends ProcessInfo {
  /** Clock ticks since boot; distinguishes a process from a later one with the same ID. */
  started: string
}

/** Watches the processes of the product with this data folder. */
export function watchProcesses(dataDir: string): ProcessWatch {
  const seen = new Map<number, string>()
  return {
    async running(leader) {
      const all = await everyProcess()
      const ours = new Set<number>()
      for (const entry of all) {
        if (`${entry.command}\0${entry.environment}`.includes(dataDir)) ours.add(entry.pid)
        if (entry.pid === leader || seen.get(entry.pid) === entry.started) ours.add(entry.pid)
      }
      // Children are younger than their parents, but IDs wrap around, so repeat until nothing new is found.
      for (let before = -1; before < ours.size;) {
        before = ours.size
        for (const entry of all) if (ours.has(entry.parent)) ours.add(entry.pid)
      }
      const found = all.filter(({ pid }) => ours.has(pid) && pid !== process.pid)
      for (const { pid, started } of found) seen.set(pid, started)
      return found
    },
  }
}

async function everyProcess(): Promise<Entry[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return (await Promise.all(pids.map(readProcess))).filter((entry) => entry !== null)
}

/** Null for processes that have ended, and for kernel threads and zombies, which have no command line. */
async function readProcess(pid: string): Promise<Entry | null> {
  const [stat, command, environment] = await Promise.all(
    ['stat', 'cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(unreadable)),
  )
  const folder = await readlink(`/proc/${pid}/cwd`).catch(unreadable)
  // The name in parentheses may contain spaces; the state follows it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  if (!command || fields[0] === 'Z') return null
  return {
    pid: Number(pid),
    command: command.replaceAll('\0', ' ').trim(),
    environment: environment ?? '',
    folder,
    parent: Number(fields[1]),
    started: fields[19] ?? '',
  }
}

/** Ended, or owned by another user: not ours either way. */
function unreadable(error: unknown): null {
  if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code)))
    return null
  throw error
}

/** A site's PHP in its sandbox. The sandbox programs have its command line too; the innermost is PHP. */
export interface SiteProcesses {
  /** The process itself. */
  inner: ProcessInfo
  /** The sandbox processes around it, and the process itself. */
  all: ProcessInfo[]
}

/** The processes of running sites among these. */
export function siteProcesses(processes: readonly ProcessInfo[]): SiteProcesses[] {
  const ours = processes.filter(({ command }) => command.includes('site-process'))
  const byPid = new Map(ours.map((one) => [one.pid, one]))
  return ours
    .filter(({ pid }) => !ours.some(({ parent }) => parent === pid))
    .map((inner) => {
      const all = [inner]
      for (let at = byPid.get(inner.parent); at !== undefined; at = byPid.get(at.parent)) all.push(at)
      return { inner, all }
    })
}
