import { parseOwnJson } from '#shared/parse-json.ts'
import { spawn } from 'node:child_process'
import { chown, mkdir, rm } from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { setPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { isAlive, processCommand, processIdentity } from '../processes/processes.ts'
import { systemErrorCode } from '../processes/startup-error.ts'
import { withoutInheritedDescriptors } from '../processes/inherited-descriptors.ts'
import { removeTree } from '../trees/remove-tree.ts'
import { openDevtools, type Devtools } from './devtools.ts'
import type { BrowserProgram } from './find-browser.ts'
import { groupResidentMb, killGroup } from './process-group.ts'

/** A running browser. */
export interface Browser {
  readonly devtools: Devtools
  /** Kills all its processes and removes its files. Resolves when nothing is left; can be called again. */
  close(): Promise<void>
}

/** Options for starting a browser. */
export interface BrowserOptions {
  readonly program: BrowserProgram
  /**
   * Stores folder and process, so that a later start can clean up after a killed one. Only one browser at a time may use it.
   */
  readonly noteFile: string
  /** User id it runs as; null: ours. */
  readonly uid: number | null
  /** Memory limit of all its processes together; it is killed above this. */
  readonly memoryMb: number
  readonly signal: AbortSignal
}

/** The browser could not be started: retrying soon will not help. */
export class BrowserStartError extends Error {
  /** Whether the system doesn't allow its sandbox. */
  readonly sandbox: boolean
  constructor(message: string, options: { sandbox: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = 'BrowserStartError'
    this.sandbox = options.sandbox
  }
}

const folderPrefix = 'easydash-browser-'
/** Low priority, but not the lowest, or a busy machine would never load a page. */
const niceness = 10
const watchEveryMs = 500

/**
 * Arguments of every start. The sandbox is always on. No network: every name and address is "not found", and the only proxy
 * has no address; pages get only what the code driving the browser provides.
 */
const arguments_: readonly string[] = [
  '--headless',
  '--remote-debugging-pipe',
  '--proxy-server=socks5://no-network.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-client-side-phishing-detection',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-3d-apis',
  '--hide-scrollbars',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  // Disables scripts in every frame of every page from the start.
  '--blink-settings=scriptEnabled=false',
]

/**
 * Starts a browser with a private profile in its own process group.
 * @throws {BrowserStartError} if it does not start; the signal's reason if aborted
 */
export async function startBrowser(options: BrowserOptions): Promise<Browser> {
  const { program, uid, signal } = options
  signal.throwIfAborted()
  const folder = join(tmpdir(), `${folderPrefix}${randomBytes(8).toString('hex')}`)
  writeNote(options.noteFile, { folder })
  await mkdir(folder, { mode: 0o700 })
  if (uid !== null) await chown(folder, uid, uid)
  const child = withoutInheritedDescriptors(['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], (stdio) =>
    spawn(program.executablePath, [...arguments_, `--user-data-dir=${folder}`, 'about:blank'], {
      // Does not inherit our environment, which contains the database's address and keys.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...program.env, HOME: folder, TMPDIR: folder },
      cwd: '/',
      stdio,
      detached: true,
      ...(uid === null ? {} : { uid, gid: uid }),
    }),
  )
  const { pid } = child
  let errorTail = ''
  const exited = new Promise<Error | null>((resolve) => {
    child.once('exit', () => resolve(null))
    child.once('error', (error) => resolve(error))
  })
  const errors = child.stderr
  errors?.on('data', (chunk: Buffer) => {
    errorTail = (errorTail + chunk.toString('utf8')).slice(-4_000)
  })
  const devtools = openDevtools(child.stdio[3] as Writable, child.stdio[4] as Readable)
  void exited.then((error) => devtools.fail(new Error('The browser ended.', { cause: error ?? undefined })))

  let watch: NodeJS.Timeout | undefined
  let closing: Promise<void> | null = null
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      clearInterval(watch)
      signal.removeEventListener('abort', abort)
      devtools.fail(new Error('The browser was closed.'))
      if (pid !== undefined) await killGroup(pid)
      for (const stream of child.stdio) stream?.destroy()
      await removeFolder(folder)
      await rm(options.noteFile, { force: true })
    })())
  const abort = (): void => devtools.fail(signal.reason instanceof Error ? signal.reason : new Error('Stopped.'))
  signal.addEventListener('abort', abort)

  try {
    if (pid === undefined) throw (await exited) ?? new Error('It has no process.')
    writeNote(options.noteFile, { folder, pid, identity: processIdentity(pid) })
    lowerPriority(pid)
    watch = setInterval(() => {
      groupResidentMb(pid).then(
        (mb) => {
          if (mb !== null && mb > options.memoryMb) devtools.fail(new Error('The page needs too much memory.'))
        },
        (error: unknown) => devtools.fail(new Error('Its memory cannot be read.', { cause: error })),
      )
    }, watchEveryMs)
    watch.unref()
    await devtools.send('Browser.getVersion')
    return { devtools, close }
  } catch (error) {
    await close()
    signal.throwIfAborted()
    throw new BrowserStartError('The browser did not start.', {
      sandbox: /sandbox|namespace/i.test(errorTail),
      cause: errorTail === '' ? error : new Error(errorTail, { cause: error }),
    })
  }
}

/** It may have ended already; whoever waits for it is notified. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH' && systemErrorCode(error) !== 'ERR_SYSTEM_ERROR') throw error
  }
}

/** Content of a note file. */
interface Note {
  folder: string
  pid?: number
  identity?: string | null
}

function writeNote(path: string, note: Note): void {
  writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
}

/** Kills a browser that outlived the process which started it and removes its files. Usually there is nothing to do. */
export async function killOrphanedBrowser(noteFile: string): Promise<void> {
  let note: Note
  try {
    note = parseOwnJson<Note>(readFileSync(noteFile, 'utf8'))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return
    // Writing the note was interrupted: nothing had been started yet.
    if (!(error instanceof SyntaxError)) throw error
    await rm(noteFile, { force: true })
    return
  }
  const { folder, pid, identity } = note
  // Only touches our own folders and processes, whatever happened to the note.
  if (dirname(folder) === tmpdir() && folder.startsWith(join(tmpdir(), folderPrefix))) {
    const isOwnProcess = pid !== undefined && pid > 1 && isAlive(pid) && processIdentity(pid) === identity
    if (isOwnProcess && (processCommand(pid) ?? '').includes(folder)) await killGroup(pid)
    await removeFolder(folder)
  }
  await rm(noteFile, { force: true })
}

function removeFolder(folder: string): Promise<void> {
  return removeTree(folder)
}
