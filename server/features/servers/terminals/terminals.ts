import { isPossibleIn } from '#shared/action-state.ts'
import type { Session } from '#server/contracts/session.ts'
import type { StreamKind, StreamPeer } from '#server/contracts/socket-stream.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { referenceOf } from '#server/documents/documents.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { RemoteShell } from '#server/platform/ssh/shell.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { serverOperations } from '#shared/doctypes/server-operations.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { sameValue } from '#shared/same-value.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { LiveTerminal, terminalSize } from './live-terminal.ts'
import { endTerminal, expireTerminals, keepTerminal, recordPart, takeTerminal } from './terminal-table.ts'

/** Time to connect to a server and to get a shell there. */
const openMs = 30_000

/** Terminals on servers that pages of this process show. */
export interface Terminals {
  readonly stream: StreamKind
  readonly schedule: ScheduledWork
  /** Ends all of them; their recordings are kept. */
  stop(): Promise<void>
}

/** Opens terminals that `open_terminal` allowed. */
export function createTerminals(context: ServersContext): Terminals {
  const live = new Set<LiveTerminal>()
  return {
    stream: {
      name: 'server-terminal',
      open: (session, { terminal, ...size }, peer) => openTerminal(context, live, { session, terminal, size, peer }),
    },
    schedule: {
      name: 'servers.expire_terminals',
      everySeconds: 3600,
      run: () =>
        context.deps
          .documents()
          .transaction(systemSession('schedule'), (tx) => expireTerminals(tx, formatTimestamp(context.clock.now()))),
    },
    async stop() {
      await Promise.all([...live].map((terminal) => terminal.end('stopped')))
    },
  }
}

/** The server of a terminal, if this person may have one there now. Throws AppError. */
async function admittedServer(tx: Tx, session: Session, name: string): Promise<Server> {
  await authorizeReference(ServerDoctype, { action: 'open_terminal' })({ session, referenceName: name }, tx)
  const server = await tx.get(ServerDoctype, name)
  if (server && isPossibleIn(ServerDoctype, serverOperations.open_terminal, server)) return server
  throw new AppError('invalid', msg`The server is in no state to open a terminal.`, {
    nextAction: msg`Look at its overview.`,
  })
}

async function openTerminal(
  context: ServersContext,
  live: Set<LiveTerminal>,
  { session, terminal, size, peer }: { session: Session; terminal: unknown; size: unknown; peer: StreamPeer },
): Promise<LiveTerminal> {
  const { deps, clock, ssh } = context
  const id = typeof terminal === 'string' && /^[\da-f-]{36}$/.test(terminal) ? terminal : ''
  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(session, work)
  const now = () => formatTimestamp(clock.now())
  const server = await inTransaction(async (tx) => {
    const name = await takeTerminal(tx, { id, user: session.user, session: String(session.id), now: now() })
    if (name !== null) return admittedServer(tx, session, name)
    throw new AppError('gone', msg`This terminal has expired.`, { nextAction: msg`Open a new one.` })
  })
  const began = clock.now()
  let characters = 0
  const ended = (end: Parameters<typeof endTerminal>[2]['end'], result: 'Done' | 'Failed' = 'Done') =>
    inTransaction(async (tx) => {
      await endTerminal(tx, id, { end, now: now() })
      const facts = { recording: id, end, characters }
      const took_ms = clock.now() - began
      await tx.activity({
        ...referenceOf(ServerDoctype, server),
        action: 'Server.terminal',
        after: facts,
        result,
        took_ms,
      })
    })
  const target = sshTarget(server)
  let shell: RemoteShell
  try {
    shell = await ssh.shell(target, terminalSize(size), { deadlineMs: openMs })
  } catch (error) {
    await ended('lost', 'Failed')
    throw error
  }
  let part = 0
  const opened = new LiveTerminal({
    clock,
    shell,
    peer,
    async record(text) {
      await inTransaction((tx) => recordPart(tx, deps.secrets, { id, organization: server.organization, part }, text))
      part += 1
      characters += text.length
    },
    mayContinue: () =>
      inTransaction(async (tx) => {
        return (
          (await keepTerminal(tx, id, now())) &&
          sameValue(sshTarget(await admittedServer(tx, session, server.name)), target)
        )
      }).catch((error: unknown) => {
        if (error instanceof AppError) return false
        throw error
      }),
    async ended(end) {
      live.delete(opened)
      await ended(end)
    },
    failed: (error) => deps.log.warn('A terminal of a server failed', { server: server.name, error }),
  })
  live.add(opened)
  return opened
}
