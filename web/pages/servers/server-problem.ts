import { unhealthyServerStatuses, type Server } from '#shared/doctypes/server.ts'
import type { Problem } from '#web/documents/values/problem.tsx'

/** Whether a server needs attention. */
export function hasProblem({ status }: Partial<Server>): boolean {
  return unhealthyServerStatuses.some((unhealthy) => unhealthy === status)
}

/** Its reason and times. */
export function serverProblem(server: Partial<Server>): Problem {
  return {
    reason: server.failure_reason,
    reasonI18n: server.failure_reason_i18n,
    since: server.failure_since,
    lastContact: server.checked_at,
  }
}
