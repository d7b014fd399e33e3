import type { JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import type { ActionName } from '#shared/doctype.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { enqueueFor } from '../job-parts.ts'
import type { ServersContext } from '../servers-context.ts'

type ServerAction = ActionName<typeof ServerDoctype>

/** A job that is the action of the same name, for those who can run that. */
export function operationJob<A extends Record<string, unknown>>(
  action: ServerAction,
  definition: Omit<JobDefinition<A>, 'type' | 'cancel' | 'authorize'>,
): JobDefinition<A> {
  return {
    type: `server.${action}`,
    cancel: { possible: false, reason: 'A change of a machine is not stopped half way.' },
    authorize: authorizeReference(ServerDoctype, { action }),
    ...definition,
  }
}

/** Starts the job of an action. Throws `unsupported` for this machine, and for one that nobody has connected to. */
export async function startOperation(
  context: ServersContext,
  tx: Tx,
  { doc, action, args }: { doc: Server; action: ServerAction; args?: Record<string, unknown> },
): Promise<{ job: string }> {
  if (doc.engine_host !== null)
    throw new AppError('unsupported', msg`This machine belongs to the installation and is not changed from here.`)
  if (doc.ssh_host_key === null)
    throw new AppError('unsupported', msg`Easydash has not connected to this server yet.`, {
      nextAction: msg`Finish setting it up first.`,
    })
  return { job: await enqueueFor(context, tx, doc, { type: `server.${action}`, args }) }
}
