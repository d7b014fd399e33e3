import { spawn } from 'node:child_process'
import { chown, mkdir, rm } from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { setPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { isAlive, processCommand, processIdentity } from '../processes/processes.ts'
import { systemErrorCode } from '../processes/startup-error.ts'
import { withoutStrays } from '../processes/stray-descriptors.ts'
import { removeTree } from '../trees/remove-tree.ts'
import { openDevtools, type Devtools } from './devtools.ts'
import type { BrowserProgram } from './find-browser.ts'
import { groupResidentMb, killGroup } from './process-group.ts'

/** A browser of ours that runs. */
export interface Browser {
  readonly devtools: Devtools
  /** Ends it with all its processes and removes what it wrote. Resolves when nothing is left; may be called again. */
  close(): Promise<void>
}

/** How to start a browser. */
export interface BrowserOptions {
  readonly program: BrowserProgram
  /** Remembers folder and process, so that a later start can remove what a killed one left. One for each browser at a time. */
  readonly noteFile: string
  /** Account it runs under, as number; null: ours. */
  readonly uid: number | null
  /** Ends it above this; all its processes together. */
  readonly memoryMb: number
  readonly signal: AbortSignal
}

/** The browser did not start at all: trying again soon will not help. */
export class BrowserStartError extends Error {
  /** Whether its sandbox is what the system does not allow. */
  readonly sandbox: boolean
  constructor(words: string, options: { sandbox: boolean; cause?: unknown }) {
    super(words, { cause: options.cause })
    this.name = 'BrowserStartError'
    this.sandbox = options.sandbox
  }
}

const folderPrefix = 'easydash-browser-'
/** Everything else goes first; not last of all, or a busy machine would never show a page. */
const niceness = 10
const watchEveryMs = 500

/**
 * What every start is told. The sandbox is never switched off. No network: each name and address is "not found", and the
 * only way out is a proxy that has no address; what a page may see is handed to it by whoever drives the browser.
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
  // Scripts are off for every frame of every page, from the first one on.
  '--blink-settings=scriptEnabled=false',
]

/**
 * Starts a browser with a profile of its own that nobody else can enter, in a process group of its own.
 * @throws {BrowserStartError} when it does not come up; the signal's reason when aborted
 */
export async function startBrowser(options: BrowserOptions): Promise<Browser> {
  const { program, uid, signal } = options
  signal.throwIfAborted()
  const folder = join(tmpdir(), `${folderPrefix}${randomBytes(8).toString('hex')}`)
  writeNote(options.noteFile, { folder })
  await mkdir(folder, { mode: 0o700 })
  if (uid !== null) await chown(folder, uid, uid)
  const child = withoutStrays(['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], (stdio) =>
    spawn(program.executablePath, [...arguments_, `--user-data-dir=${folder}`, 'about:blank'], {
      // Nothing of our environment: it holds the database's address and keys.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...program.env, HOME: folder, TMPDIR: folder },
      cwd: '/',
      stdio,
      detached: true,
      ...(uid === null ? {} : { uid, gid: uid }),
    }),
  )
  const { pid } = child
  let lastWords = ''
  const exited = new Promise<Error | null>((resolve) => {
    child.once('exit', () => resolve(null))
    child.once('error', (error) => resolve(error))
  })
  const errors = child.stderr
  errors?.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(-4_000)
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
      sandbox: /sandbox|namespace/i.test(lastWords),
      cause: lastWords === '' ? error : new Error(lastWords, { cause: error }),
    })
  }
}

/** It may have ended already; whoever waits for it hears that. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness)
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH' && systemErrorCode(error) !== 'ERR_SYSTEM_ERROR') throw error
  }
}

/** What a note file says. */
interface Note {
  folder: string
  pid?: number
  identity?: string | null
}

function writeNote(path: string, note: Note): void {
  writeFileSync(path, JSON.stringify(note), { mode: 0o600 })
}

/** Ends a browser that outlived the process which started it, and removes what it wrote. Nothing is to do mostly. */
export async function endLeftBrowser(noteFile: string): Promise<void> {
  let note: Note
  try {
    note = JSON.parse(readFileSync(noteFile, 'utf8')) as Note
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return
    // Cut off while it was written: then nothing had started yet.
    if (!(error instanceof SyntaxError)) throw error
    await rm(noteFile, { force: true })
    return
  }
  const { folder, pid, identity } = note
  // Only ever a folder and a process of ours, whatever happened to the note.
  if (dirname(folder) === tmpdir() && folder.startsWith(join(tmpdir(), folderPrefix))) {
    const ours = pid !== undefined && pid > 1 && isAlive(pid) && processIdentity(pid) === identity
    if (ours && (processCommand(pid) ?? '').includes(folder)) await killGroup(pid)
    await removeFolder(folder)
  }
  await rm(noteFile, { force: true })
}

function removeFolder(folder: string): Promise<void> {
  return removeTree(folder)
}
