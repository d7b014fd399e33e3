import type { ScheduledWork } from '#server/contracts/schedule.ts'
import { hostsWith, ownHosts, type EngineHost } from '#server/engines/hosts.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { MetricsContext } from './metrics-context.ts'
import { measureMachine, processorTimes, type ProcessorTimes } from './measure-machine.ts'
import { storeSamples } from './store-samples.ts'

/** Less than a slot, because the schedule adds up to a tenth of it: no slot stays empty, and a second sample is not stored. */
const everySeconds = 240

/** Samples the machine that this program runs on, for its row in each organization. */
export function sampleMachine(context: MetricsContext): ScheduledWork[] {
  const [host] = hostsWith(ownHosts(context.engines, context.machine), 'hostInfo')
  if (!host) return []
  // The first sample covers the time since the machine started.
  let before: ProcessorTimes = { user: 0, system: 0, idle: 0 }
  return [
    {
      name: `servers.sample ${host.name}`,
      everySeconds,
      atStart: true,
      async run() {
        const since = before
        before = processorTimes()
        await storeMachine(context, host, since)
      },
    },
  ]
}

async function storeMachine(
  { documents, clock }: MetricsContext,
  { engine, name, server }: EngineHost<'hostInfo'>,
  since: ProcessorTimes,
): Promise<void> {
  const { disk: total, diskFree: free } = await engine.hostInfo(server)
  const sample = await measureMachine(since, { total, free }, clock.now())
  await documents().transaction(systemSession('schedule'), async (tx) => {
    const rows = await tx.listFields(
      ServerDoctype,
      ['name'],
      [
        ['engine_host', '=', name],
        ['status', '!=', 'Decommissioned'],
      ],
    )
    const servers = rows.map((row) => row.name)
    await storeSamples(tx, servers, [sample])
  })
}
