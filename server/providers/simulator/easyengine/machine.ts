import { appendFileSync, mkdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A simulated machine as one of its programs sees it. */
export interface Machine {
  /** The folder that stands for `/`. */
  readonly root: string
  /** A path of the machine on this one. */
  path(absolute: string): string
  /** The setting of a trap: '' if it is switched on without one, null if it is off. */
  trap(name: TrapName): string | null
  out(text: string): void
  err(text: string): void
  readonly isTerminal: boolean
  /** Whether `ee` looks for a newer version of itself first, on a terminal, where it may ask: unless its environment says no. */
  readonly looksForUpdates: boolean
  /** A line of standard input without its end; null at the end. */
  readLine(): string | null
  /** Everything that standard input has. */
  readInput(): string
}

/**
 * What goes wrong on a machine where its file `var/lib/simulated/traps` says so, one name a line, some with `=` and a setting.
 * Traps that are always on (hang-up, names that collide, unanswered questions, no terminal) have no name.
 */
export const trapNames = [
  /** Docker does not answer: `ee` prints an error and exits 0. Setting `ee`: it is `ee` alone that gets no answer, as on a busy machine. */
  'docker_down',
  /** Images can't be pulled, which the first `ee cli info` of a version does. */
  'pull_fails',
  /** Errors of `ee` exit 0. */
  'exit_zero',
  /** Let's Encrypt refuses; setting: a domain, default all. */
  'ssl_fails',
  /** The disk is full when WordPress or a backup is written. */
  'disk_full',
  /** A container was killed and does not start again; setting: its name. */
  'container_killed',
  /** What should be JSON is not. */
  'nonsense_json',
  /** What should be JSON never ends. */
  'endless_output',
  /** Facts are those of another site. */
  'other_site',
  /** A create fails when the site should answer, and is cleaned up. */
  'create_fails',
  /** A create takes this many seconds; default 5. */
  'slow_create',
  /** PHP ends with a fatal error; setting: a domain, default all. */
  'php_fatal',
  /** The database in which a backup is tried out refuses it. */
  'load_fails',
  /** It has no rows of a table whose name ends so. */
  'loses_rows',
  /** WP-CLI fails; setting: the beginning of its words, default all. */
  'wp_fails',
  /** Redis answers with an error. */
  'redis_fails',
] as const
export type TrapName = (typeof trapNames)[number]

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Reads a file; null if there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Writes a file with its folders. */
export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Appends a line to a file of the simulation itself. */
export function note(root: string, file: string, line: string): void {
  const folder = join(root, 'var/lib/simulated')
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, file), `${line.replaceAll(/\s+/g, ' ')}\n`)
}

/** The setting of a trap on a machine. Throws for a name that is no trap, which would otherwise test nothing. */
export function trapOf(root: string, name: TrapName): string | null {
  const lines = (readIfThere(join(root, 'var/lib/simulated/traps')) ?? '').split('\n').filter((line) => line !== '')
  const settings = new Map(
    lines.map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1 || line.length)]),
  )
  for (const one of settings.keys())
    if (!trapNames.some((known) => known === one)) throw new Error(`There is no trap ${one}.`)
  return settings.get(name) ?? null
}

/** The machine of this process. */
export function thisProcess(root: string): Machine {
  let buffered: string | null = null
  const readInput = () => (buffered ??= readDescriptor())
  return {
    root,
    path: (absolute) => (absolute.startsWith(`${root}/`) ? absolute : join(root, absolute)),
    trap: (name) => trapOf(root, name),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdin.isTTY && process.stdout.isTTY,
    looksForUpdates: process.stdout.isTTY && !process.env['EE_DISABLE_AUTO_CHECK_UPDATE'],
    readInput,
    readLine: () => {
      const text = process.stdin.isTTY ? readTerminalLine() : readInput()
      const end = text.indexOf('\n')
      buffered = end < 0 ? '' : text.slice(end + 1)
      return text === '' ? null : text.slice(0, end < 0 ? text.length : end)
    },
  }
}

function readDescriptor(): string {
  try {
    return readFileSync(0, 'utf8')
  } catch (error) {
    // Nobody is at the other end.
    if (['EAGAIN', 'EOF', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

function readTerminalLine(): string {
  const bytes = Buffer.alloc(1024)
  return bytes.toString('utf8', 0, readSync(0, bytes))
}
