import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Engine } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { MetricsContext } from './metrics-context.ts'
import { measureMachine, processorTimes, type ProcessorTimes } from './measure-machine.ts'
import { storeSamples } from './store-samples.ts'

/** Less than a slot, because the schedule adds up to a tenth of it: no slot stays empty, and a second sample is not stored. */
const everySeconds = 240

/** Samples the machine that this program runs on, for its row in each organization. */
export function sampleMachine(context: MetricsContext): ScheduledWork[] {
  const engine = context.engines['local'] ?? context.engines['fake']
  if (!engine) return []
  const host = `${engine.name}:${context.machine ?? 'this'}`
  // The first sample covers the time since the machine started.
  let before: ProcessorTimes = { user: 0, system: 0, idle: 0 }
  return [
    {
      name: `servers.sample ${host}`,
      everySeconds,
      atStart: true,
      async run() {
        const since = before
        before = processorTimes()
        await storeMachine(context, engine, host, since)
      },
    },
  ]
}

async function storeMachine(
  { documents, clock }: MetricsContext,
  engine: Engine,
  host: string,
  since: ProcessorTimes,
): Promise<void> {
  const { disk: total, diskFree: free } = await engine.hostInfo(thisMachine)
  const sample = await measureMachine(since, { total, free }, clock.now())
  await documents().transaction(systemSession('schedule'), async (tx) => {
    const rows = await tx.listFields(
      ServerDoctype,
      ['name'],
      [
        ['engine_host', '=', host],
        ['status', '!=', 'Decommissioned'],
      ],
    )
    const servers = rows.map(({ name }) => name)
    await storeSamples(tx, servers, [sample])
  })
}
