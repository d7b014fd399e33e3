import { randomUUID } from 'node:crypto'
import type { Behavior } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Server, ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { terminalLimits } from '#shared/rules/terminal.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { addTerminal, countOpen, listTerminals, readRecording } from './terminal-table.ts'

/** Actions about terminals on servers. The store checks permissions, state and the password first. */
export function terminalActions({ deps, clock }: ServersContext) {
  const now = () => formatTimestamp(clock.now())
  return {
    open_terminal: (server, _args, { tx, session }) => allowTerminal(tx, server, { session, now: now() }),
    get_terminals: (server, _args, { tx }) => listTerminals(tx, server.name, now()),
    async get_terminal_recording(server, { terminal }, { tx }) {
      const { name, organization, hostname } = server
      const text = await readRecording(tx, deps.secrets, { id: terminal, server: name, organization })
      if (text === null) throw new AppError('not_found', msg`There is no such recording.`, { field: 'terminal' })
      return { file_name: `${hostname}-${terminal.slice(0, 8)}.txt`, text }
    },
  } satisfies Behavior<typeof ServerDoctype>['actions']
}

/** Lets a session open a terminal. Throws `unavailable` without a known host key, and `limit_reached`. */
async function allowTerminal(
  tx: Tx,
  server: Server,
  { session, now }: { readonly session: Session; readonly now: string },
): Promise<{ terminal: string }> {
  sshTarget(server)
  const { name, organization } = server
  await transactionLock(tx, `terminals of ${organization}`)
  const { ofServer, ofOrganization } = await countOpen(tx, { server: name, organization, now })
  if (ofServer >= terminalLimits.perServer || ofOrganization >= terminalLimits.perOrganization)
    throw new AppError(
      'limit_reached',
      ofServer >= terminalLimits.perServer
        ? msg`${terminalLimits.perServer} terminals are open on this server.`
        : msg`${terminalLimits.perOrganization} terminals are open on servers of this organization.`,
      { nextAction: msg`Close one of them first. The list of recordings says whose they are.` },
    )
  const id = randomUUID()
  await addTerminal(tx, { id, server: name, organization, user: session.user, session: String(session.id), now })
  return { terminal: id }
}
