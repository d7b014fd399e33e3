import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#server/platform/config/config.ts'
import { createHitCounters, type HitCounters } from '#server/platform/hit-counters.ts'
import { grantHits } from '#server/platform/leased-hits.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { socketFolder } from '#server/platform/processes/socket-folder.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import {
  connectionsOfWebProcess,
  type FromWebProcess,
  type ToWebProcess,
  type WebFigures,
  type WebQuestion,
  type WebStart,
} from './web-messages.ts'
import type { WebOptions } from './wire/options.ts'

/** How long an answer may take (ms); the process is then not waited for. */
const answerMs = 1000
/** How long processes may take to stop (ms); they give requests 5 s. */
const stopMs = 6500
/** Pauses before a process is started again (ms); the last one repeats until one runs. */
const pausesMs = [50, 200, 1000, 5000, 10_000, 60_000]
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
  start(database: Database, options: Pick<WebStart, 'config' | 'connection' | 'pagesDir'>): Promise<void>
  /** Of those that run, and what they were asked for. */
  figures(): Promise<readonly WebFigures[]>
  stop(): Promise<void>
}

interface WebProcess {
  child: ChildProcess | null
  given: GivenConnections | null
  isReady: boolean
}

/** Prepares `config.webProcesses` processes; null if there is only this one, also where there can be no unix sockets. */
export async function createWebProcesses(
  config: Pick<Config, 'webProcesses' | 'dataDir'>,
  log: Log,
): Promise<WebProcesses | null> {
  const count = config.webProcesses
  if (count === 1) return null
  const token = randomBytes(32).toString('base64url')
  const sockets = await usableFolder(config.dataDir, log)
  if (sockets === null) return null
  // A process of an earlier start that hangs would remove the socket of its number when it ends.
  const paths = join(sockets, `${token.slice(0, 8)}-`)
  const counters = createHitCounters()
  const others: WebProcess[] = Array.from({ length: count - 1 }, () => ({ child: null, given: null, isReady: false }))
  const questions = createQuestions()
  let turn = 0
  let isStopping = false

  const killAll = () => {
    for (const { child } of others) child?.kill('SIGKILL')
  }
  const askAll = (question: WebQuestion) => Promise.all(others.map((one) => questions.ask(one, question)))

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
      case 'taken':
        one.given?.taken(message.id)
        return
      case 'answer':
        questions.answered(message.id, message.figures)
        return
      case 'hits':
        tell(child, { kind: 'granted', id: message.id, grant: grantHits(counters, ...message.of) })
    }
  }

  async function run(one: WebProcess, start: WebStart): Promise<Record<string, unknown>> {
    const child = startProcess(start, (message) => receive(one, child, start.own, message))
    const given = createGivenConnections(child)
    Object.assign(one, { child, given })
    const ended = await outputUntilExit(child)
    // Its channel says nothing of its end while the receipt of a connection is missing.
    given.back()
    return ended
  }

  async function keep(one: WebProcess, start: WebStart): Promise<void> {
    for (let attempt = 0; !isStopping; attempt += 1) {
      const ended = await run(one, start).catch((error: unknown) => ({ error }))
      if (one.isReady) attempt = 0
      Object.assign(one, { child: null, given: null, isReady: false })
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
        if (one?.given && one.child?.connected === true && one.isReady) one.given.give(socket, serve)
        else serve(socket)
      },
    },
    async start(database, options) {
      const poolSize = await poolSizeOf(database, others.length)
      process.once('exit', killAll)
      others.forEach((one, at) => {
        void keep(one, { kind: 'start', own: at + 1, count, token, paths, poolSize, ...options })
      })
    },
    figures: async () => (await askAll({ ask: 'figures' })).filter((one) => one !== null),
    async stop() {
      isStopping = true
      await Promise.all(others.flatMap(({ child }) => (child ? [endProcess(child)] : [])))
      process.off('exit', killAll)
      await removeTree(sockets)
    },
  }
}

/** Questions to processes that have not been answered. */
function createQuestions() {
  const answers = new Map<number, (figures: WebFigures | null) => void>()
  let last = 0
  return {
    answered: (id: number, figures: WebFigures | null) => answers.get(id)?.(figures),
    /** Null if it does not answer in time or ends. */
    async ask({ child, isReady }: WebProcess, question: WebQuestion): Promise<WebFigures | null> {
      if (child === null || !isReady) return null
      last += 1
      const id = last
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
    },
  }
}

/** A folder for their sockets; null, with a warning, where files cannot be sockets, e.g. in some shared folders of virtual machines. */
async function usableFolder(dataDir: string, log: Log): Promise<string | null> {
  try {
    const folder = await socketFolder(dataDir)
    const server = createServer().listen(join(folder, 'test'))
    await once(server, 'listening')
    server.close()
    return folder
  } catch (error) {
    log.warn('One web process answers: there can be no sockets for further ones', { error })
    return null
  }
}

/** Connections of each pool; fewer where the database has fewer, such as one that was taken over or is not ours. */
async function poolSizeOf({ pool }: Database, others: number): Promise<number> {
  const { rows } = await pool.query<{ most: string }>("select current_setting('max_connections') as most")
  // 30 are for the main process and for commands.
  const each = Math.floor((Number(rows[0]?.most) - 30) / others)
  return Math.max(3, Math.min(connectionsOfWebProcess, each) - 4)
}

function tell(child: ChildProcess, message: ToWebProcess): void {
  // A process that just ended is started again; what it was told concerns nobody any more.
  if (child.connected) child.send(message, () => undefined)
}

/** Connections on their way to a process. */
interface GivenConnections {
  /** Gives it a connection, which `serve` gets back if the process ends before it has it. */
  give(socket: Socket, serve: (socket: Socket) => void): void
  /** The process has it. */
  taken(id: number): void
  /** The process has ended. */
  back(): void
}

function createGivenConnections(child: ChildProcess): GivenConnections {
  const given = new Map<number, { socket: Socket; serve: (socket: Socket) => void }>()
  let last = 0
  const back = (id: number): void => {
    const one = given.get(id)
    given.delete(id)
    one?.serve(one.socket)
  }
  return {
    give(socket, serve) {
      last += 1
      const id = last
      given.set(id, { socket, serve })
      // It stays open here, too, until the process says that it has it: what was written to one that is ending may be lost.
      child.send({ kind: 'connection', id } satisfies ToWebProcess, socket, { keepOpen: true }, (error) => {
        if (error) back(id)
      })
    },
    taken(id) {
      given.get(id)?.socket.destroy()
      given.delete(id)
    },
    back() {
      for (const id of given.keys()) back(id)
    },
  }
}

function startProcess(start: WebStart, receive: (message: FromWebProcess) => void): ChildProcess {
  const cache = getCompileCacheDir()
  const child = fork(new URL('./web-process.ts', import.meta.url), [], {
    env: { ...databaseEnvironment(), ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
    execArgv: [...process.execArgv, '--disable-sigusr1'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
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
