import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { openLineChannel } from '../processes/line-channel.ts'
import { lockDown } from './lock-down.ts'
import { createManagementScripts, describeError } from './management-scripts.ts'
import { descriptors, maxCallBytes, type BootMessage, type FromChild, type ToChild } from './messages.ts'
import { brokenPhpExitCode, watchForBreak } from './broken-php.ts'
import { openGateway, outboundSockets } from './outbound.ts'
import { createHomes } from './homes.ts'
import { createSignIns } from './sign-ins.ts'
import { createPhpServer, type RunReporter } from './php-http.ts'
import { loadPhpImage, startPhp, type PhpOptions } from './php-instance.ts'
import type { Php } from './php-wasm.ts'
import { scriptNames } from './script-names.ts'
import { createPhpPool, type PhpPool } from './php-pool.ts'
import { countAdded } from '../quota/limit-site.ts'
import { keepTemporarySmall } from './temporary-files.ts'

/* The process of one awake site. It belongs to the engine that started it and ends with it. */

/** Receives each message from the engine; the first is `boot`. */
let receive = (message: ToChild): void => {
  if (message.type !== 'boot') return
  boot(message).catch((error: unknown) => fail(describeError(error), 71))
}

const control = new Socket({ fd: descriptors.control })
const { send } = openLineChannel<ToChild, FromChild>(control, {
  maxLineBytes: maxCallBytes,
  maxPerSecond: 10_000,
  maxBytesPerSecond: 64 * maxCallBytes,
  // The engine is trusted: its messages match their types.
  parse: (value) => value as ToChild,
  onMessage: (message) => receive(message),
  onViolation: () => process.exit(72),
  // A killed parent can only be detected this way.
  onEnd: () => process.exit(0),
})

/** Reports to the engine why this process ends, then exits. */
function fail(reason: string, code: number): void {
  send({ type: 'failed', reason })
  control.end(() => process.exit(code))
}

process.on('uncaughtException', (error) =>
  fail(error instanceof Error ? `${error.name}: ${error.message}` : String(error), 70),
)

/** Enough time for the interrupted response to be sent. */
const lastResponseMs = 20
let isEnding = false

/** Exits because PHP is unusable, and lets the engine start a new process. */
function exitWithBrokenPhp(): void {
  if (isEnding) return
  isEnding = true
  setTimeout(() => control.end(() => process.exit(brokenPhpExitCode)), lastResponseMs)
}

let runs = 0
/** The run of each PHP. */
const current = new Map<Php, number>()
const runningScripts: RunReporter = (php, request) => {
  runs += 1
  const run = runs
  current.set(php, run)
  send({ type: 'run-start', run, request })
  return () => {
    current.delete(php)
    send({ type: 'run-end', run })
  }
}

/** PHP found out that somebody who is signed in to wp-admin waits for it. */
function reportAdmin(php: Php): void {
  const run = current.get(php)
  if (run !== undefined) send({ type: 'run-admin', run })
}

function readPhp(name: string): string {
  return readFileSync(new URL(`../php/${name}.php`, import.meta.url), 'utf8')
}

/** Drops all privileges but the site's own. Irreversible; every file of ours must be loaded before. */
function dropRights(uid: number | null): void {
  if (uid === null) return
  try {
    process.setgroups?.([])
    process.setgid?.(uid)
    process.setuid?.(uid)
  } catch (error) {
    throw new Error(
      `This machine does not let a site’s process become user ${uid}. Run Easydash as another user than root.`,
      { cause: error },
    )
  }
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid)
    throw new Error('The process could not give up its rights.')
}

async function boot(message: BootMessage): Promise<void> {
  const image = await loadPhpImage(message.phpVersion)
  const scripts = new Map(scriptNames.map((name) => [name, readPhp(name)]))
  const preload = readPhp('preload')

  const homes = createHomes(message.url, message.served)
  let pool: PhpPool | null = null
  const servers: { own?: ReturnType<typeof createPhpServer> } = {}
  const options: PhpOptions = {
    boot: message,
    preload,
    scripts,
    onAdmin: reportAdmin,
    sockets: outboundSockets({
      connect: openGateway(new Socket({ fd: descriptors.outbound })),
      isOwn: homes.isOwn,
      acceptOwn: (connection) => {
        servers.own?.emit('connection', connection)
      },
    }),
  }
  const lazyPool: PhpPool = {
    instances: () => pool?.instances() ?? [],
    drain: () => pool?.drain(),
    use: (own, work) => {
      if (pool === null) throw new Error('PHP is not started yet.')
      return pool.use(own, work)
    },
  }
  const signIns = createSignIns()
  const served = { boot: message, homes, pool: lazyPool, reportRun: runningScripts, takeSignIn: signIns.take }
  servers.own = createPhpServer({ ...served, own: true })
  const server = createPhpServer({ ...served, own: false })
  server.listen({ fd: descriptors.server })
  await once(server, 'listening')

  dropRights(message.uid)
  lockDown(control)
  let offline = message.offline
  const start = async (): Promise<Php> => {
    const php = await startPhp(image, options)
    watchForBreak(php, exitWithBrokenPhp)
    markOffline(php, offline)
    return php
  }
  const first = await start()
  pool = createPhpPool(first, start)
  const journalMode = await selfCheck(first)
  const managementScripts = createManagementScripts({ boot: message, pool, reportRun: runningScripts, send })

  receive = (next) => {
    if (next.type === 'offline') {
      offline = next.offline
      for (const php of lazyPool.instances()) markOffline(php, offline)
    }
    if (next.type === 'served') homes.setServed(next.served)
    if (next.type === 'files') {
      countAdded(next.bytes, next.entries)
      for (const php of lazyPool.instances()) forgetFiles(php, next.paths)
    }
    if (next.type === 'sign-in') signIns.announce(next)
    if (next.type === 'call') void managementScripts.call(next)
    if (next.type === 'cancel') managementScripts.cancel(next.id)
    if (next.type === 'drain') lazyPool.drain()
  }
  send({ type: 'ready', journalMode })
  // Nobody waits for that walk.
  keepTemporarySmall((bytes, entries) => countAdded(-bytes, -entries))
}

function markOffline(php: Php, offline: boolean): void {
  const path = '/internal/shared/easydash-offline'
  if (offline) php.writeFile(path, '1')
  else if (php.fileExists(path)) php.unlink(path)
}

/** More than these are not worth listing: PHP then compiles everything again. */
const maxForgotten = 500

/** Before its next run, each PHP drops what it compiled from these files (`preload.php`). */
function forgetFiles(php: Php, paths: readonly string[]): void {
  const list = '/internal/shared/easydash-files.json'
  const before = php.fileExists(list) ? (JSON.parse(php.readFileAsText(list)) as string[] | null) : []
  const all = before === null ? null : [...before, ...paths.map((path) => `/wordpress/${path}`)]
  php.writeFile(list, JSON.stringify(all === null || all.length > maxForgotten ? null : all))
}

const checkCode = `<?php
$status = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
$database = '/wordpress/wp-content/database/.ht.sqlite';
$mode = null;
if (is_file($database) && filesize($database) > 0) {
  $mode = (new PDO('sqlite:' . $database))->query('PRAGMA journal_mode')->fetchColumn();
}
file_put_contents('/internal/easydash/check.json', json_encode(['opcache' => is_array($status) && !empty($status['opcache_enabled']), 'journal' => $mode]));
`

/**
 * Checks two things that fail silently: an inactive OPcache doubles page times, a journal mode other than DELETE corrupts
 * databases.
 */
async function selfCheck(php: Php): Promise<string | null> {
  php.writeFile('/internal/easydash/check.php', checkCode)
  const run = await php.runStream({ scriptPath: '/internal/easydash/check.php' })
  await run.stdoutBytes
  const check = JSON.parse(php.readFileAsText('/internal/easydash/check.json')) as {
    opcache: boolean
    journal: string | null
  }
  if (!check.opcache) throw new Error('OPcache is not active.')
  if (check.journal !== null && check.journal !== 'delete')
    throw new Error(`The database uses the journal mode ${check.journal}; only DELETE is safe here.`)
  return check.journal
}

send({ type: 'hello' })
