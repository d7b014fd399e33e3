import { ExternalCall } from '#server/contracts/controller.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { errorMessage, redactMessage } from '#server/jobs/failure.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SshError } from '#server/platform/ssh/ssh-error.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverWatchSeconds } from '#shared/rules/site-check.ts'
import { inParallel } from '../in-parallel.ts'
import { writeServer } from '../job-parts.ts'
import { failureValues, healthyValues } from '../server-fields.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { measureServer, remoteServerFields } from './measure-server.ts'
import { parseObserved } from '../monitoring/parse-observed.ts'
import { servicesOf, watchedUnits } from '../monitoring/verdicts.ts'
import { readScript, runText } from './run-script.ts'

const measuredStatuses = ['Healthy', 'Degraded', 'Disconnected'] as const satisfies readonly Server['status'][]

/** Servers that are asked at the same time. */
const atOnce = 5

/** Asks every server that was set up what it is, and says which ones do not answer. */
export function watchServers(context: ServersContext): ScheduledWork {
  return {
    name: 'servers.watch',
    everySeconds: serverWatchSeconds,
    async run() {
      const servers = await context.deps.documents().transaction(systemSession('schedule'), (tx) =>
        tx.list(ServerDoctype, [
          ['ssh_host_key', 'is', 'set'],
          ['engine_host', 'is', 'not set'],
          ['status', 'in', measuredStatuses],
          ['locked_by_job', 'is', 'not set'],
        ]),
      )
      await inParallel(servers, atOnce, (server) => watch(context, server))
    },
  }
}

async function watch(context: ServersContext, server: Server): Promise<void> {
  const { deps, clock } = context
  const found = await measured(context, server).catch((error: unknown) => {
    // Something of ours changes it at the moment: it answered, and is measured next time.
    if (error instanceof SshError && error.kind === 'busy') return null
    const since = server.status === 'Disconnected' ? server.failure_since : formatTimestamp(clock.now())
    deps.log.info('A server could not be measured', { server: server.name, error })
    return failureValues('Disconnected', redactMessage(errorMessage(error)), since)
  })
  if (found === null) return
  if (found.status === 'Healthy') {
    if (server.metrics_agent !== 1) await sample(context, server)
    await observe(context, server)
  }
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(ServerDoctype, server.name, { lock: true })
    if (now?.locked_by_job === null && now.status === server.status) await writeServer(tx, server.name, found)
  })
}

/** Reads a sample from a server that has no agent which sends them. One that is missing shows in the graphs. */
async function sample({ deps, ssh }: ServersContext, server: Server): Promise<void> {
  try {
    await deps.metrics.pull(server.name, (script, args) => runText(ssh, sshTarget(server), script, { args }))
  } catch (error) {
    deps.log.warn('A server could not be sampled', { server: server.name, error })
  }
}

/** Looks at the services and certificates of a server, for its alert rules. What could not be read is unknown. */
async function observe({ deps, ssh, clock }: ServersContext, server: Server): Promise<void> {
  try {
    const options = { args: watchedUnits, deadlineMs: 40_000 }
    const observed = parseObserved(await readScript(ssh, sshTarget(server), 'monitoring', options))
    if (!observed) return
    await deps.metrics.observe(server.name, {
      services: observed.units && servicesOf(server, observed.units, clock.now()),
      certificates: observed.certificates,
    })
  } catch (error) {
    deps.log.warn('The services of a server could not be read', { server: server.name, error })
  }
}

async function measured(
  { ssh, clock }: ServersContext,
  server: Server,
  signal?: AbortSignal,
): Promise<Partial<Server>> {
  const facts = await measureServer(ssh, sshTarget(server), signal)
  return { ...remoteServerFields(facts, clock.now()), ...healthyValues }
}

/**
 * Asks a server at once, where its provider says it is now; what was changed there is taken over if it answers. Throws what its
 * connection throws, and `unsupported` for one that was never connected.
 */
export async function refreshServer(context: ServersContext, server: Server): Promise<ExternalCall> {
  if (server.ssh_host_key === null) throw new AppError('unsupported', msg`This server cannot be measured from here.`)
  return new ExternalCall(
    async (signal) => {
      const there = server.drift ?? {}
      const fields = { ...(await measured(context, { ...server, ...there }, signal)), ...there, drift: null }
      return async (doc, { tx }) => {
        await writeServer(tx, doc.name, fields)
        return { checked_at: fields.checked_at ?? null }
      }
    },
    {},
    90_000,
  )
}
