import { ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { hostNameOf, hostsWith, ownHosts, remoteHosts, type EngineHost } from '#server/engines/hosts.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { errorMessage, redactMessage } from '#server/jobs/failure.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { freeName } from './new-server.ts'
import { failureValues, hasChanged, healthyValues, serverFields } from './server-fields.ts'
import { reachableStatuses, type ServersContext } from './servers-context.ts'

/** A machine that does not tell its facts in this time is in trouble, in milliseconds. */
const measureMs = 30_000

/** Measures a machine; that it can't be measured is a result, too. */
export async function measure(context: ServersContext, host: EngineHost<'hostInfo'>): Promise<Partial<Server>> {
  const { deps, clock } = context
  const values = await measuredFields(context, host).catch((error: unknown) => {
    deps.log.warn('A machine could not be measured', { host: host.name, error })
    const reason = redactMessage(
      msg`It could not be measured: ${errorMessage(error)} It is tried again every minute; the log of Easydash says more.`,
    )
    return failureValues('Degraded', reason, formatTimestamp(clock.now()))
  })
  if (host.name === context.machine?.name) context.measured = { ...context.measured, ...values }
  return values
}

async function measuredFields(
  { clock }: ServersContext,
  { engine, server }: EngineHost<'hostInfo'>,
): Promise<Partial<Server>> {
  const { hostname, ...fields } = serverFields(await engine.hostInfo(server), clock.now())
  // A server that somebody added keeps the name they gave it.
  return { ...fields, ...healthyValues, ...(engine.reach === 'machine' ? { hostname } : {}) }
}

/** Measures a machine and updates its row, which this one has in every organization. */
export async function refreshHost(context: ServersContext, host: EngineHost<'hostInfo'>): Promise<void> {
  const values = await measure(context, host)
  await context.deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const rows = await tx.list(ServerDoctype, [
      host.engine.reach === 'machine' ? ['engine_host', '=', host.name] : ['name', '=', host.server.id],
      ['status', 'in', reachableStatuses],
    ])
    for (const row of rows) await write(tx, row, await withFreeName(tx, row, values))
  })
}

/** Measures the machine of a row. Throws `unsupported` if it can't be measured from here. */
export async function refreshNow(context: ServersContext, server: Server): Promise<ExternalCall> {
  const { engines, machine } = context.deps
  const hosts = hostsWith([...ownHosts(engines, machine), ...remoteHosts(engines, [server])], 'hostInfo')
  const host = hosts.find(({ name }) => name === hostNameOf(server))
  if (!host) throw new AppError('unsupported', msg`This server cannot be measured from here.`)
  return new ExternalCall(
    async () => {
      const fields = await measuredFields(context, host)
      return async (doc, { tx }) => {
        const values = await withFreeName(tx, server, fields)
        const updated = await tx.update(ServerDoctype, doc.name, values, { hooks: false, activity: false })
        return { checked_at: updated.checked_at }
      }
    },
    {},
    measureMs,
  )
}

/** What is written without hooks must not give two servers one name either. */
async function withFreeName(tx: Tx, row: Server, values: Partial<Server>): Promise<Partial<Server>> {
  const { hostname } = values
  if (hostname === undefined || hostname === row.hostname) return values
  return { ...values, hostname: await freeName(tx, { ...row, hostname }) }
}

/** Fields that always change are written without touching `modified`, because nobody edited the document. */
async function write(tx: Tx, row: Server, values: Partial<Server>): Promise<void> {
  const { disk_free = null, uptime = null, checked_at = null, status } = values
  // While it can't be measured for the same reason, nothing is written, and no event is sent.
  const goesOn = status === 'Degraded' && row.status === 'Degraded'
  if (status === 'Degraded' || hasChanged(row, values)) {
    const now = goesOn ? { ...values, failure_since: row.failure_since } : values
    await tx.update(ServerDoctype, row.name, now, { hooks: false, activity: false })
  } else await tx.updateColumns(ServerDoctype, row.name, { disk_free, uptime, checked_at })
}
