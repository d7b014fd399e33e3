import { ExternalCall } from '#server/contracts/controller.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { ServerMonitoring } from '#shared/responses/server-monitoring.ts'
import { adviceOf } from '../remote/answers.ts'
import { readScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { parseObserved, type Observed } from './parse-observed.ts'
import { checksOf, checksOfThisMachine, containersOf, servicesOf, watchedUnits, type Reached } from './verdicts.ts'

/**
 * Looks at a server by SSH: what runs there, and its checks. One that does not answer is an answer, too. Of the machine that Easydash
 * runs on there are checks of its last sample.
 */
export async function getMonitoring(
  { deps, ssh, clock }: ServersContext,
  server: Server,
): Promise<ExternalCall | ServerMonitoring> {
  if (server.engine_host !== null)
    return {
      ...{ observed: server.metrics_at, cpu: server.cpu, services: null, docker: null, containers: null },
      checks: checksOfThisMachine(server, clock.now()),
    }
  await deps.rateLimiter.hit('look_at_server', server.name)
  const look = async (signal: AbortSignal): Promise<{ reached: Reached; observed: Observed | null }> => {
    try {
      const options = { args: watchedUnits, signal, deadlineMs: 40_000 }
      const observed = parseObserved(await readScript(ssh, sshTarget(server), 'monitoring', options))
      if (observed) return { reached: { verdict: 'ok', advice: null }, observed }
      const advice = 'It answered, but not in a way that makes sense. Look at how busy it is, then check again.'
      return { reached: { verdict: 'warn', advice }, observed }
    } catch (error) {
      return { reached: { verdict: 'failed', advice: adviceOf(error) }, observed: null }
    }
  }
  return new ExternalCall(
    async (signal) => {
      const { reached, observed } = await look(signal)
      const now = clock.now()
      return {
        observed: observed && formatTimestamp(now),
        cpu: observed?.cpu ?? server.cpu,
        checks: checksOf(server, reached, observed, now),
        services: observed?.units ? servicesOf(server, observed.units, now) : null,
        docker: observed?.docker ?? null,
        containers: observed?.docker === 'running' ? containersOf(observed.containers, now) : null,
      } satisfies ServerMonitoring
    },
    null,
    60_000,
  )
}
