import type { Tx } from '#server/contracts/transaction.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { plural, msg } from '#shared/localized-message.ts'
import { freeName } from './new-server.ts'
import type { ServersContext } from './servers-context.ts'

/** Adds "This machine" to an organization if it is missing, as it was last measured. */
export async function addMachine(context: ServersContext, tx: Tx, organization: Organization): Promise<void> {
  if (!context.machine) return
  const { engine, name: host } = context.machine
  const existing = await tx.find(ServerDoctype, [
    ['organization', '=', organization.name],
    ['engine_host', '=', host],
  ])
  if (existing) return
  // Until it could be measured for the first time, the machine has no name of its own.
  const { hostname = host } = context.measured
  await tx.insert(ServerDoctype, {
    status: 'Healthy',
    ...context.measured,
    hostname: await freeName(tx, { organization: organization.name, hostname }),
    organization: organization.name,
    engine: engine.name,
    engine_host: host,
    server_category: 'development',
    cloud_provider: 'Custom',
    _owner: organization._owner,
  })
}

/** Removes an organization's "This machine". Throws `invalid` while it has sites, including archived ones. */
export async function removeMachine(context: ServersContext, tx: Tx, organization: Organization): Promise<void> {
  const rows = await tx.list(ServerDoctype, [
    ['organization', '=', organization.name],
    ['engine', '=', context.machine?.engine.name ?? 'local'],
  ])
  if (rows.length === 0) return
  // A site being created has its server's row locked: this waits for it, then counts it.
  for (const row of rows) await tx.get(ServerDoctype, row.name, { lock: true })
  const sites = await tx.count(SiteDoctype, [['server', 'in', rows.map((row) => row.name)]])
  if (sites > 0) {
    const { title } = organization
    throw new AppError(
      'invalid',
      plural(
        sites,
        msg`${title} has ${sites} site on this machine.`,
        msg`${title} has ${sites} sites on this machine.`,
      ),
      {
        field: 'granted',
        excType: 'LinkExistsError',
        nextAction: msg`Delete them permanently first, archived ones too.`,
      },
    )
  }
  for (const row of rows) await tx.delete(ServerDoctype, row.name)
}
