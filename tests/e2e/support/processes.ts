/** The processes of a running product, as the person's system shows them. Linux only, elsewhere there are none. */
import { readFile, readdir, readlink } from 'node:fs/promises'

/** A process of the system. */
export interface ProcessInfo {
  pid: number
  parent: number
  /** Its command line, words separated by spaces. */
  command: string
  /** Its environment as one text; empty where it may not be read. */
  environment: string
  /** Its current folder (of a site's process: the site's), null where it may not be read. */
  folder: string | null
}

/** Keeps in mind which processes belong to a product. */
export interface ProcessWatch {
  /**
   * Those that run now: the descendants of `leader`, all that name the data folder, and any seen before that lived on
   * without their parent. Site processes name nothing: who wants to hear of one later has to ask while its parent lives.
   */
  running(leader: number | null): Promise<ProcessInfo[]>
}

interface Entry extends ProcessInfo {
  /** Clock ticks since boot; tells a process from a later one of the same number. */
  started: string
}

/** Watches the processes of the product whose data folder this is. */
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
      // Children are younger than their parents, but numbers wrap around: until nothing new is found.
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

/** Null for what ended meanwhile, and for kernel threads and corpses, which have no command line. */
async function readProcess(pid: string): Promise<Entry | null> {
  const [stat, command, environment] = await Promise.all(
    ['stat', 'cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(unreadable)),
  )
  const folder = await readlink(`/proc/${pid}/cwd`).catch(unreadable)
  // The name in parentheses may hold spaces; the state is what follows it.
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

/** Ended meanwhile, or of another user: neither is ours. */
function unreadable(error: unknown): null {
  if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code)))
    return null
  throw error
}

/** A site's PHP in its sandbox: programs of the sandbox have its command line too, and it is the last below them. */
export interface SiteProcesses {
  /** The process itself. */
  inner: ProcessInfo
  /** The sandbox around it, and the process itself. */
  all: ProcessInfo[]
}

/** The processes of awake sites among these. */
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
