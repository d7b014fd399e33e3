import { ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { errorMessage, redactMessage } from '#server/jobs/failure.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { failureValues, hasChanged, healthyValues, serverFields } from './server-fields.ts'
import type { LocalMachine, ServersContext } from './servers-context.ts'

/** A machine that does not tell its facts in this time is in trouble, in milliseconds. */
const measureMs = 30_000

async function measure({ clock }: ServersContext, { engine }: LocalMachine): Promise<Partial<Server>> {
  return serverFields(await engine.hostInfo(thisMachine), clock.now())
}

/** Adds "This machine" to an organization if it is missing. */
export async function addMachine(context: ServersContext, tx: Tx, organization: Organization): Promise<void> {
  if (!context.machine) return
  const { engine, host } = context.machine
  const existing = await tx.find(ServerDoctype, [
    ['organization', '=', organization.name],
    ['engine_host', '=', host],
  ])
  if (existing) return
  await tx.insert(ServerDoctype, {
    ...(await measure(context, context.machine)),
    organization: organization.name,
    engine: engine.name,
    engine_host: host,
    server_category: 'development',
    cloud_provider: 'Custom',
    status: 'Healthy',
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

/** Measures the machine and updates its row in every organization. */
export async function refreshMachine(context: ServersContext, machine: LocalMachine): Promise<void> {
  const { deps, clock } = context
  const change = await measure(context, machine).then(
    (fields) => (tx: Tx, row: Server) => writeHost(tx, row, { ...fields, ...healthyValues }),
    (error: unknown) => {
      deps.log.warn('This machine could not be measured', { error })
      const reason = redactMessage(
        msg`It could not be measured: ${errorMessage(error)} It is tried again every minute; the log of Easydash says more.`,
      )
      return (tx: Tx, row: Server) => degrade(tx, row, reason, formatTimestamp(clock.now()))
    },
  )
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const rows = await tx.list(ServerDoctype, [
      ['engine_host', '=', machine.host],
      ['status', 'in', ['Healthy', 'Degraded', 'Disconnected']],
    ])
    for (const row of rows) await change(tx, row)
  })
}

async function degrade(tx: Tx, row: Server, reason: LocalizedMessage, now: string): Promise<void> {
  const since = row.status === 'Degraded' ? row.failure_since : now
  // Writes nothing, and sends no event, while the reason stays the same.
  await tx.update(ServerDoctype, row.name, failureValues('Degraded', reason, since), { hooks: false, activity: false })
}

/** Measures this machine for one of its rows. Throws `unsupported` if the row is of another machine. */
export async function refreshHost(context: ServersContext, { engine_host }: Server): Promise<ExternalCall> {
  const { machine } = context
  if (!machine || engine_host !== machine.host) {
    throw new AppError('unsupported', msg`This server cannot be measured from here.`)
  }
  return new ExternalCall(
    async () => {
      const fields = { ...(await measure(context, machine)), ...healthyValues }
      return async (doc, { tx }) => {
        const updated = await tx.update(ServerDoctype, doc.name, fields, { hooks: false, activity: false })
        return { checked_at: updated.checked_at }
      }
    },
    {},
    measureMs,
  )
}

/** Fields that always change are written without touching `modified`, because nobody edited the document. */
async function writeHost(tx: Tx, row: Server, fields: Partial<Server>): Promise<void> {
  if (hasChanged(row, fields)) {
    await tx.update(ServerDoctype, row.name, fields, { hooks: false, activity: false })
    return
  }
  const { disk_free = null, uptime = null, checked_at = null } = fields
  await tx.updateColumns(ServerDoctype, row.name, { disk_free, uptime, checked_at })
}
