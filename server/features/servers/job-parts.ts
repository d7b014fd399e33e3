import type { JobContext, JobFailure } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, type Clock } from '#server/jobs/clock.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { failureValues } from './server-fields.ts'
import type { ServersContext } from './servers-context.ts'

/** The server of a job. Throws AppError `not_found` if it was deleted. */
export async function serverOfJob(context: JobContext): Promise<Server> {
  const server = await context.transaction((tx) => tx.get(ServerDoctype, context.referenceName))
  if (!server) throw new AppError('not_found', msg`The server no longer exists.`, { nextAction: msg`Create it again.` })
  return server
}

/** Starts a job of a server, by one of the types of this feature. */
export function enqueueFor(
  { deps }: ServersContext,
  tx: Tx,
  server: Pick<Server, 'name' | 'organization' | 'hostname'>,
  { type, args = {} }: { type: string; args?: Record<string, unknown> | undefined },
): Promise<string> {
  return deps.jobs().enqueue(tx, {
    type,
    organization: server.organization,
    reference_doctype: 'Server',
    reference_name: server.name,
    reference_title: server.hostname,
    args,
  })
}

/** Writes values the product itself determined: not a user edit, so no hooks and no activity entry. */
export async function writeServer(tx: Tx, name: string, values: Partial<Server>): Promise<void> {
  await tx.update(ServerDoctype, name, values, { hooks: false, activity: false })
}

/** Marks the server of a failed job as Failed, with the reason, what to do, and `more`. */
export async function markServerFailed(
  context: JobContext,
  clock: Clock,
  { message, nextAction }: Pick<JobFailure, 'message' | 'nextAction'>,
  more: LocalizedMessage | null = null,
): Promise<void> {
  const advised = nextAction.text === '' ? message : msg`${message} ${nextAction}`
  const reason = more === null ? advised : msg`${advised} ${more}`
  await context.transaction(async (tx) => {
    if (!(await tx.get(ServerDoctype, context.referenceName, { lock: true }))) return
    await writeServer(tx, context.referenceName, failureValues('Failed', reason, formatTimestamp(clock.now())))
  })
}
