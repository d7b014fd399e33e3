import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** How sites' processes are isolated from the machine, best first. */
export type SandboxKind = 'bubblewrap' | 'namespaces' | 'none'

/** A program and its arguments. */
export interface Command {
  file: string
  args: string[]
}

/** Paths that a command inside the sandbox needs. */
export interface SandboxedPaths {
  /** Files and folders it may read. */
  readable: readonly string[]
  /** Folders it may write. */
  writable: readonly string[]
  /** Its working directory, in which it is also started. */
  current: string
}

/** The operating system's sandbox around a site's process, in addition to Node's own. */
export interface Sandbox {
  readonly kind: SandboxKind
  /** Whether the process and its children can never gain privileges (`no_new_privs`). */
  readonly noNewPrivileges: boolean
  /** Wraps a command. The result runs it as a descendant of the process that is started. */
  wrap(command: Command, paths: SandboxedPaths): Command
}

/** System programs that create a sandbox; null: not installed. */
export interface SandboxPrograms {
  bwrap: string | null
  unshare: string | null
  setpriv: string | null
  prlimit: string | null
}

/** Finds the programs in the system's folders, independent of PATH. */
export function findSandboxPrograms(folders: readonly string[] = systemFolders()): SandboxPrograms {
  const find = (name: string): string | null =>
    folders.map((folder) => join(folder, name)).find((path) => isExecutable(path)) ?? null
  return { bwrap: find('bwrap'), unshare: find('unshare'), setpriv: find('setpriv'), prlimit: find('prlimit') }
}

function systemFolders(): string[] {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))
  return [...new Set(['/usr/bin', '/bin', '/usr/local/bin', ...path])]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing or not accessible: either way it can't be used.
    return false
  }
}

/**
 * Chooses the best sandbox that works here, by running a program in each: containers and some systems forbid namespaces.
 * Linux only.
 */
export async function chooseSandbox(programs: SandboxPrograms = findSandboxPrograms()): Promise<Sandbox> {
  if (process.platform !== 'linux') return unprotected(null)
  const setpriv = await workingPrefix(programs.setpriv, ['--no-new-privs', '--'])
  const prlimit =
    (isRoot() ? await workingPrefix(programs.prlimit, [...resourceLimits, processLimit, '--']) : null) ??
    (await workingPrefix(programs.prlimit, [...resourceLimits, '--']))
  const mortal = await workingPrefix(programs.setpriv, endWithParent)
  for (const candidate of [bubblewrap(programs.bwrap), namespaces(programs.unshare, setpriv)]) {
    if (candidate === null) continue
    const paths = { readable: [process.execPath], writable: [], current: '/' }
    if (await succeeds(candidate.wrap(testCommand, paths))) return prefixedBy([mortal, prlimit], candidate)
  }
  return prefixedBy([mortal, prlimit], unprotected(setpriv))
}

/** A program that every sandbox must be able to run. */
const testCommand: Command = { file: process.execPath, args: ['--version'] }

/**
 * Limits that apply even between the engine's checks: it measures memory once a second and kills above its own limit.
 * `--data` covers memory a process can fill with its own content; Node and two PHP instances start with less than 1 GiB of
 * it.
 */
const resourceLimits = [`--data=${3 * 1024 ** 3}`, '--nofile=1024', '--core=0']

/**
 * Processes and threads of a site's user; Node has about twenty. Code that escaped from JavaScript could fork until the
 * machine has none left. Root is exempt, and for a regular user the limit would count everything that user runs.
 */
const processLimit = '--nproc=256'

/**
 * The process ends with the engine, even if that is killed: PHP that computes does not see its channel close. It has no effect any more on a
 * process that becomes another user.
 */
const endWithParent = ['--pdeathsig', 'KILL', '--']

/** A prefix for another command; null: not installed, or it does not work here. */
type Prefix = readonly [string, ...string[]] | null

async function workingPrefix(file: string | null, args: readonly string[]): Promise<Prefix> {
  if (file === null) return null
  return (await succeeds(prefixed([file, ...args], testCommand))) ? [file, ...args] : null
}

function prefixed(prefix: Prefix, command: Command): Command {
  if (prefix === null) return command
  const [file, ...args] = prefix
  return { file, args: [...args, command.file, ...command.args] }
}

function prefixedBy(prefixes: readonly Prefix[], sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    wrap: (command, paths) =>
      prefixes.reduceRight((inner, prefix) => prefixed(prefix, inner), sandbox.wrap(command, paths)),
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

/** System folders that a dynamically linked program needs. */
const libraries = ['/usr/lib', '/usr/lib64', '/usr/lib32', '/lib', '/lib64', '/lib32', '/etc/ld.so.cache']
/** Capabilities root needs to read restricted folders and to switch to the site's user; they are dropped with that step. */
const startingCapabilities = ['CAP_SETUID', 'CAP_SETGID', 'CAP_DAC_OVERRIDE', 'CAP_DAC_READ_SEARCH']

function bubblewrap(file: string | null): Sandbox | null {
  if (file === null) return null
  return {
    kind: 'bubblewrap',
    // bwrap always sets it.
    noNewPrivileges: true,
    wrap: (command, { readable, writable, current }) => ({
      file,
      args: [
        ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
        ...(isRoot()
          ? ['--cap-drop', 'ALL', ...startingCapabilities.flatMap((name) => ['--cap-add', name])]
          : ['--unshare-user']),
        ...['--as-pid-1', '--die-with-parent', '--hostname', 'site'],
        ...libraries.flatMap((path) => ['--ro-bind-try', path, path]),
        ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
        // Otherwise only root could access them, and the site's user could not pass through.
        ...ancestorsOf(current).flatMap((path) => ['--perms', '0711', '--dir', path]),
        ...readable.flatMap((path) => ['--ro-bind', path, path]),
        ...writable.flatMap((path) => ['--bind', path, path]),
        // These are in memory, which no limit covers. A regular user owns them and could fill the machine's memory.
        ...['/tmp', '/dev', '/'].flatMap((path) => ['--remount-ro', path]),
        ...['--chdir', current, '--', command.file, ...command.args],
      ],
    }),
  }
}

/** `/a`, `/a/b` … down to the folder itself. */
function ancestorsOf(folder: string): string[] {
  const names = folder.split('/').filter((name) => name !== '')
  return names.map((_name, at) => `/${names.slice(0, at + 1).join('/')}`)
}

function namespaces(file: string | null, setpriv: Prefix): Sandbox | null {
  if (file === null) return null
  const own = ['--net', '--pid', '--ipc', '--uts', '--mount', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--']
  // A site's process that becomes another user no longer ends with its parent, but with the first one of its namespace.
  const first: Prefix = isRoot() ? ['/bin/sh', '-c', '"$@"; exit "$?"', 'site'] : null
  return {
    kind: 'namespaces',
    noNewPrivileges: setpriv !== null,
    wrap: (command) =>
      prefixed(
        [file, ...(isRoot() ? [] : ['--user', '--map-current-user']), ...own],
        prefixed(setpriv, prefixed(first, command)),
      ),
  }
}

function unprotected(setpriv: Prefix): Sandbox {
  return { kind: 'none', noNewPrivileges: setpriv !== null, wrap: (command) => prefixed(setpriv, command) }
}

/** Timeout of a sandbox trial. */
const testTimeoutMs = 5_000

function succeeds({ file, args }: Command): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: testTimeoutMs, env: {}, cwd: '/' }, (error) => resolve(error === null))
  })
}
