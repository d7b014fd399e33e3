import type { HostInfo } from '#server/engines/site-host.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { sameValue } from '#shared/same-value.ts'

/** States that have a reason. */
type FailedStatus = Extract<Server['status'], 'Degraded' | 'Disconnected' | 'Failed'>

/** Fields of a server that doesn't work, and why. `since`: stored time. */
export function failureValues(status: FailedStatus, reason: LocalizedMessage, since: string | null) {
  return { status, ...serializeMessage('failure_reason', reason), failure_since: since } satisfies Partial<Server>
}

/** Fields of a server that works. */
export const healthyValues = {
  status: 'Healthy',
  failure_reason: null,
  failure_reason_i18n: null,
  failure_since: null,
} as const satisfies Partial<Server>

const units: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Uptime in its two largest units, e.g. "3 days, 4 hours". */
export function uptimeText(seconds: number): string {
  const parts: string[] = []
  let rest = Math.max(0, Math.floor(seconds))
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  return parts.slice(0, 2).join(', ') || 'less than a minute'
}

/** Measurements as fields of a Server. */
export function serverFields(host: HostInfo, now: number): Partial<Server> {
  return {
    hostname: host.hostname,
    os: host.os,
    kernel: host.kernel,
    processor: host.processor,
    cpu: host.cpu,
    ram: host.ram,
    disk: host.disk,
    disk_free: host.diskFree,
    total_swap: host.totalSwap,
    timezone: host.timezone,
    facts: host.facts ?? null,
    // Rounded to the minute, so that two measurements of the same boot time do not differ.
    booted_at: formatTimestamp(Math.round((now - host.uptimeSeconds * 1000) / 60_000) * 60_000),
    uptime: uptimeText(host.uptimeSeconds),
    checked_at: formatTimestamp(now),
  }
}

/** Fields that change with every measurement and do not count as a change by themselves. */
const drifting: readonly (keyof Server)[] = ['disk_free', 'uptime', 'checked_at', 'booted_at']

/** Whether new measurements should be published as an update. */
export function hasChanged(server: Server, fields: Partial<Server>): boolean {
  const changed = (Object.keys(fields) as (keyof Server)[]).some(
    (key) => !drifting.includes(key) && !sameValue(fields[key], server[key]),
  )
  const diskMoved = Math.abs((fields.disk_free ?? 0) - (server.disk_free ?? 0)) > (fields.disk ?? 0) / 100
  const booted = Date.parse(`${fields.booted_at?.slice(0, 19)}Z`) - Date.parse(`${server.booted_at?.slice(0, 19)}Z`)
  return changed || diskMoved || !(Math.abs(booted) <= 120_000)
}
