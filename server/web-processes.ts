import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#server/platform/config/config.ts'
import { createHitCounters, type HitCounters } from '#server/platform/hit-counters.ts'
import { grantHits } from '#server/platform/leased-hits.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { FromWebProcess, ToWebProcess, WebFigures, WebQuestion, WebStart } from './web-messages.ts'
import type { WebOptions } from './wire/options.ts'

/** How long an answer may take (ms); the process is then not waited for. */
const answerMs = 1000
/** How long processes may take to stop (ms); they give requests 5 s. */
const stopMs = 6500
/** Pauses before a process is started again (ms); the last one repeats until one runs. */
const pausesMs = [50, 200, 1000, 5000, 10_000]
/** Of what a process printed, so much is kept for the log. */
const keptOutput = 4000

/** The web processes besides the main one, which share its port. */
export interface WebProcesses {
  /** For the main process. */
  readonly wire: Required<WebOptions>
  /** Counts for all processes. */
  readonly counters: HitCounters
  /** Drops cached sessions in all of them. */
  forget(user: string | null): Promise<void>
  /** Starts them; connections are given to those that are ready. */
  start(options: Pick<WebStart, 'config' | 'connection' | 'pagesDir'>): void
  /** Of those that run, and what they were asked for. */
  figures(): Promise<readonly WebFigures[]>
  stop(): Promise<void>
}

interface WebProcess {
  child: ChildProcess | null
  isReady: boolean
}

/** Prepares `config.webProcesses` processes; null if there is only this one. */
export function createWebProcesses(config: Pick<Config, 'webProcesses'>, log: Log): WebProcesses | null {
  const count = config.webProcesses
  if (count === 1) return null
  const token = randomBytes(32).toString('base64url')
  const paths = socketPaths()
  const counters = createHitCounters()
  const others: WebProcess[] = Array.from({ length: count - 1 }, () => ({ child: null, isReady: false }))
  const answers = new Map<number, (figures: WebFigures | null) => void>()
  let lastQuestion = 0
  let turn = 0
  let isStopping = false

  /** Null if it does not answer in time or ends. */
  async function ask({ child, isReady }: WebProcess, question: WebQuestion): Promise<WebFigures | null> {
    if (child === null || !isReady) return null
    lastQuestion += 1
    const id = lastQuestion
    const answered = new Promise<WebFigures | null>((resolve) => {
      answers.set(id, resolve)
      tell(child, { kind: 'question', id, question })
    })
    const done = new AbortController()
    const { signal } = done
    const late = sleep(answerMs, null, { signal, ref: false }).catch(() => null)
    const ended = once(child, 'exit', { signal }).then(
      () => null,
      () => null,
    )
    const figures = await Promise.race([answered, late, ended])
    done.abort()
    answers.delete(id)
    return figures
  }

  const askAll = (question: WebQuestion) => Promise.all(others.map((one) => ask(one, question)))

  function receive(one: WebProcess, child: ChildProcess, own: number, message: FromWebProcess): void {
    switch (message.kind) {
      case 'ready':
        one.isReady = true
        return
      case 'failed':
        log.error('A web process could not start', { process: own, error: message.error })
        return
      case 'log':
        log[message.level](message.message, { process: `web ${own}`, ...message.fields })
        return
      case 'answer':
        answers.get(message.id)?.(message.figures)
        return
      case 'hits':
        tell(child, { kind: 'granted', id: message.id, grant: grantHits(counters, ...message.of) })
    }
  }

  async function keep(one: WebProcess, start: WebStart): Promise<void> {
    for (let attempt = 0; !isStopping; attempt += 1) {
      const child = startProcess(start, (message) => receive(one, child, start.own, message))
      one.child = child
      const ended = await outputUntilExit(child)
      if (one.isReady) attempt = 0
      Object.assign(one, { child: null, isReady: false })
      if (isStopping) return
      log.error('A web process ended unexpectedly; it is started again', { process: start.own, ...ended })
      await sleep(pausesMs[Math.min(attempt, pausesMs.length - 1)], undefined, { ref: false })
    }
  }

  return {
    counters,
    forget: async (user) => void (await askAll({ ask: 'forget', user })),
    wire: {
      links: { own: 0, count, token, pathOf: (process) => `${paths}${process}` },
      replaced: async (sid) => void (await askAll({ ask: 'replaced', sid })),
      handOver(socket, serve) {
        turn = (turn + 1) % count
        const one = others[turn - 1]
        if (one?.child?.connected === true && one.isReady) giveConnection(one.child, socket, serve)
        else serve(socket)
      },
    },
    start(options) {
      const poolSize = Math.min(12, Math.floor(30 / others.length) - 4)
      others.forEach((one, at) => {
        void keep(one, { kind: 'start', own: at + 1, count, token, paths, poolSize, ...options })
      })
    },
    figures: async () => (await askAll({ ask: 'figures' })).filter((one) => one !== null),
    async stop() {
      isStopping = true
      await Promise.all(others.flatMap(({ child }) => (child ? [endProcess(child)] : [])))
    },
  }
}

/**
 * Beginning of the paths of the unix sockets. Linux has names for them outside of the file system, which leave no file behind; whoever
 * connects has to know the token in either case.
 */
function socketPaths(): string {
  const name = `easydash-web-${randomBytes(9).toString('hex')}-`
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name)
}

function tell(child: ChildProcess, message: ToWebProcess): void {
  // A process that just ended is started again; what it was told concerns nobody any more.
  if (child.connected) child.send(message, () => undefined)
}

/**
 * Gives a connection to a process. If the process ends before it has it, `serve` gets it back: when its channel closes, since a
 * connection may still be given to it after its exit, and then waits for one whose receipt nobody will confirm.
 */
function giveConnection(child: ChildProcess, socket: Socket, serve: (socket: Socket) => void): void {
  const back = () => serve(socket)
  child.once('disconnect', back)
  child.send({ kind: 'connection' } satisfies ToWebProcess, socket, { keepOpen: false }, (error) => {
    child.off('disconnect', back)
    if (error) back()
  })
}

function startProcess(start: WebStart, receive: (message: FromWebProcess) => void): ChildProcess {
  const cache = getCompileCacheDir()
  const child = fork(new URL('./web-process.ts', import.meta.url), [], {
    env: { ...databaseEnvironment(), ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
    execArgv: [...process.execArgv, '--disable-sigusr1'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  // Each connection on its way listens for the end of the process.
  child.setMaxListeners(0)
  child.on('message', receive)
  tell(child, start)
  return child
}

/** Variables that concern connections to a database; keys and settings are not among them. */
function databaseEnvironment(): NodeJS.ProcessEnv {
  const names = /^(?:PG[A-Z]+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|TZ)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)))
}

/** How a process ended, and the last that it printed: the error that nobody caught. */
async function outputUntilExit(child: ChildProcess): Promise<Record<string, unknown>> {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-keptOutput)
    })
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (code, signal) => resolve({ pid: child.pid, code, signal, output }))
  })
}

async function endProcess(child: ChildProcess): Promise<void> {
  const limit = setTimeout(() => child.kill('SIGKILL'), stopMs)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  tell(child, { kind: 'stop' })
  if (child.exitCode === null && child.signalCode === null) await ended
  clearTimeout(limit)
}
