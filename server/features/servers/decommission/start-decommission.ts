import type { Tx } from '#server/contracts/transaction.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, plural } from '#shared/localized-message.ts'
import type { ServersContext } from '../servers-context.ts'

/** Starts the end of a server. Throws `invalid` for this machine, and while the server has sites. */
export async function startDecommission({ deps }: ServersContext, tx: Tx, doc: Server): Promise<{ job: string }> {
  if (doc.engine_host !== null)
    throw new AppError('invalid', msg`This machine belongs to the installation and cannot be removed.`)
  const sites = await tx.count(SiteDoctype, [['server', '=', doc.name]])
  if (sites > 0)
    throw new AppError(
      'invalid',
      plural(sites, msg`The server still has ${sites} site.`, msg`The server still has ${sites} sites.`),
      { excType: 'LinkExistsError', nextAction: msg`Move or delete them permanently first, archived ones too.` },
    )
  const job = await deps.jobs().enqueue(tx, {
    type: 'server.decommission',
    organization: doc.organization,
    reference_doctype: 'Server',
    reference_name: doc.name,
    reference_title: doc.hostname,
  })
  return { job }
}
