/** One of several web processes, started by the main one (`web-processes.ts`). */
import type { Socket } from 'node:net'
import { createDocuments } from '#server/documents/documents.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLeasedHits, type Grant } from '#server/platform/leased-hits.ts'
import type { Log, LogFields, LogLevel } from '#server/platform/log/log.ts'
import { watchLoop } from '#server/platform/log/loop-watchdog.ts'
import { redact } from '#server/platform/log/redact.ts'
import { limitHeapGrowth } from '#server/platform/processes/heap-growth.ts'
import { releaseMemoryWhenIdle } from '#server/platform/processes/idle-memory.ts'
import { releasePooledPages } from '#server/platform/processes/pooled-pages.ts'
import { createRateLimiter } from '#server/platform/rate-limit.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { createSessions, type AccountSessions } from './features/accounts/sessions/sessions.ts'
import { loggedUserMethod } from './features/accounts/sign-in/login.ts'
import { version } from './version.ts'
import type { FromWebProcess, ToWebProcess, WebFigures, WebQuestion, WebStart } from './web-messages.ts'
import type { Wire } from './wire/options.ts'
import { createWire } from './wire/server.ts'

/** What is open in this process. */
interface Opened {
  readonly wire: Wire
  readonly sessions: AccountSessions
  figures(): WebFigures
  close(): Promise<void>
}

const send = (message: FromWebProcess): void => {
  // A message to a main process that has just ended is not needed any more.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Calls of the main process that it has not answered yet. */
const asked = new Map<number, (grant: Grant) => void>()
let lastAsked = 0
let opened: Opened | null = null

const log = relayedLog({})

/** Writes to the log of the main process, which counts and orders the lines of all. */
function relayedLog(fixed: LogFields): Log {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) =>
    send({ kind: 'log', level, message, fields: redact({ ...fixed, ...fields }) as LogFields })
  return {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => relayedLog({ ...fixed, ...fields }),
    close: () => undefined,
  }
}

const onlyInMain = (): Promise<never> => Promise.reject(new Error('Only the main process does this.'))

async function open({ own, count, paths, token, config, connection, poolSize, pagesDir }: WebStart): Promise<Opened> {
  const database = openDatabase({ connection, log, poolSize, applicationName: `easydash web ${own}` })
  const counters = createLeasedHits(
    (...of) =>
      new Promise((resolve) => {
        lastAsked += 1
        asked.set(lastAsked, resolve)
        send({ kind: 'hits', id: lastAsked, of })
      }),
  )
  const rateLimiter = createRateLimiter({ database, limits: config.rateLimits, counters })
  const documents = await createDocuments({
    database,
    doctypes,
    log,
    mask: redact,
    controllers: null,
    secrets: { seal: onlyInMain, open: onlyInMain },
  })
  const sessions = createSessions({ database, documents: () => documents, log, rateLimiter })
  await sessions.start()
  const wire = await createWire({
    config: { ...config, socketioPort: 0 },
    version,
    log,
    documents,
    sessions,
    rateLimiter,
    methods: [loggedUserMethod],
    rawRoutes: [],
    streams: [],
    sites: null,
    files: null,
    uploads: null,
    clusterPool: database.pool,
    health: { ready: onlyInMain, metrics: onlyInMain },
    pages: { dir: pagesDir, boot: onlyInMain },
    web: { links: { own, count, pathOf: (process) => `${paths}${process}`, token } },
  })
  await wire.listen()
  const watchdog = watchLoop(log)
  limitHeapGrowth()
  releaseMemoryWhenIdle()
  releasePooledPages()
  return {
    wire,
    sessions,
    figures: () => ({ residentBytes: process.memoryUsage.rss(), loop: watchdog.figures() }),
    async close() {
      await wire.close()
      await documents.close()
      await database.close()
    },
  }
}

function answer(question: WebQuestion): WebFigures | null {
  if (opened === null) return null
  switch (question.ask) {
    case 'forget':
      opened.sessions.forget(question.user)
      return null
    case 'replaced':
      opened.wire.sidReplaced(question.sid)
      return null
    case 'figures':
      return opened.figures()
  }
}

async function stop(): Promise<void> {
  await opened?.close()
  process.exit(0)
}

process.on('message', (message: ToWebProcess, socket?: Socket) => {
  switch (message.kind) {
    case 'start':
      open(message).then(
        (all) => {
          opened = all
          send({ kind: 'ready' })
        },
        (error: unknown) => {
          send({ kind: 'failed', error: redact(error) })
          process.disconnect()
        },
      )
      return
    case 'connection':
      send({ kind: 'taken', id: message.id })
      // It may have closed on the way.
      if (socket) opened?.wire.take(socket)
      return
    case 'question':
      send({ kind: 'answer', id: message.id, figures: answer(message.question) })
      return
    case 'granted':
      asked.get(message.id)?.(message.grant)
      asked.delete(message.id)
      return
    case 'stop':
      stop().catch(() => process.exit(1))
  }
})
// Without the main process nobody can reach this one. Ctrl+C is sent to both; the main one decides what follows.
process.on('disconnect', () => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
