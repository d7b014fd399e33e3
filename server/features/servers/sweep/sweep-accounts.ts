import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Machine, Provider } from '#server/providers/provider.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { ServerDoctype, type Server, type ServerDrift } from '#shared/doctypes/server.ts'
import { msg } from '#shared/localized-message.ts'
import { sameValue } from '#shared/same-value.ts'
import { inParallel } from '../in-parallel.ts'
import { writeServer } from '../job-parts.ts'
import { installationLabel, installationOf } from '../provision/machine-labels.ts'
import { failureValues } from '../server-fields.ts'
import { reachableStatuses, type ServersContext } from '../servers-context.ts'
import { reportOrphans } from './orphans.ts'

/** Accounts that are looked at at the same time. */
const atOnce = 4

/** Compares the machines that accounts have with the servers they should belong to, so that none is lost or costs money unnoticed. */
export function sweepAccounts(context: ServersContext): ScheduledWork {
  const { deps } = context
  return {
    name: 'servers.sweep',
    everySeconds: 900,
    async run() {
      const connections = await deps.documents().transaction(systemSession('schedule'), (tx) =>
        tx.list(ConnectionDoctype, [
          ['kind', 'in', ['Hetzner', 'DigitalOcean', 'AWS']],
          ['status', '=', 'Connected'],
        ]),
      )
      await inParallel(connections, atOnce, async (connection) => {
        try {
          await deps.withProvider(connection, (provider) => sweep(context, connection, provider))
        } catch (error) {
          deps.log.warn('The machines of an account could not be compared', { connection: connection.name, error })
        }
      })
    },
  }
}

async function sweep(context: ServersContext, connection: Connection, provider: Provider): Promise<void> {
  const { machines } = provider
  const found = await machines.list({ name: installationLabel, value: await installationOf(context.deps) })
  await reportOrphans(context, connection, { ...provider, machines }, found)
  const servers = await context.deps.documents().transaction(systemSession('schedule'), (tx) =>
    tx.list(ServerDoctype, [
      ['connection', '=', connection.name],
      ['provider_id', 'is', 'set'],
      ['status', 'in', reachableStatuses],
      ['locked_by_job', 'is', 'not set'],
    ]),
  )
  for (const server of servers) {
    const id = server.provider_id ?? ''
    // Lists lag behind, and labels can be removed.
    const machine = found.find((one) => one.id === id) ?? (await machines.observe(id))
    await record(context, server, machine, provider.label)
  }
}

async function record(
  { deps, clock }: ServersContext,
  server: Server,
  machine: Machine | null,
  provider: string,
): Promise<void> {
  const drift = machine && driftOf(server, machine)
  if (machine && sameValue(drift, server.drift)) return
  const reason = msg`The machine was deleted at ${provider}.`
  const values = machine ? { drift } : failureValues('Failed', reason, formatTimestamp(clock.now()))
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(ServerDoctype, server.name, { lock: true })
    if (now?.locked_by_job !== null || now.status !== server.status || now.provider_id !== server.provider_id) return
    await writeServer(tx, server.name, values)
    // From there people are notified.
    if (!machine)
      await tx.activity({
        ...{ action: 'Server.went_down', result: 'Failed', detail: reason, organization: server.organization },
        ...{ reference_doctype: 'Server', reference_name: server.name, reference_title: server.hostname },
      })
  })
}

/** What the provider says otherwise; null if nothing. */
function driftOf(server: Server, { type, ipv4, ipv6 }: Machine): ServerDrift | null {
  const drift: ServerDrift = {
    ...(type !== server.vm_type && { vm_type: type }),
    ...(ipv4 !== null && ipv4 !== server.public_ipv4 && { public_ipv4: ipv4 }),
    ...(ipv6 !== null && ipv6 !== server.public_ipv6 && { public_ipv6: ipv6 }),
  }
  return Object.keys(drift).length === 0 ? null : drift
}
