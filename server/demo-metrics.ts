import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { SentSample } from '#shared/responses/server-metrics.ts'
import { metricInterval, mostSamples } from '#shared/rules/metric-ranges.ts'
import { slotOf, storeSamples } from './features/metrics/store-samples.ts'
import { parseTimestamp } from './jobs/clock.ts'
import { systemSession } from './jobs/session.ts'
import type { Product } from './product.ts'

type Machine = Pick<Server, 'hostname' | 'cpu' | 'ram' | 'disk' | 'total_swap'> & Partial<Pick<Server, 'disk_free'>>

/** Gives every server seven days of samples that end now, or when it last answered. */
export async function demoMetrics({ documents }: Product): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  await documents.transaction(systemSession('terminal'), async (tx) => {
    const servers = await tx.listFields(
      ServerDoctype,
      ['name', 'hostname', 'cpu', 'ram', 'disk', 'disk_free', 'total_swap', 'status', 'checked_at'],
      [],
    )
    for (const server of servers) {
      const lastContact = server.status === 'Disconnected' ? (server.checked_at ?? null) : null
      const end = lastContact === null ? now : Math.floor(parseTimestamp(lastContact) / 1000)
      await storeSamples(tx, [server.name], demoSamples(server, end))
    }
  })
}

/** A number from 0 to 1, always the same for the same text. */
function noise(text: string): number {
  let hash = 2_166_136_261
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619)
  // The last characters of similar texts have to reach the high bits.
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  return ((hash ^ (hash >>> 13)) >>> 0) / 4_294_967_296
}

/** Slots without samples, as if the machine had been away for half an hour. */
const gap = 6

/**
 * Seven days of a machine with quiet nights and weekends, a backup at two o'clock and a few deploys, the same for the same host
 * name and time (seconds since 1970).
 */
export function demoSamples(
  { hostname, cpu, ram, disk, disk_free: free, total_swap }: Machine,
  now: number,
): SentSample[] {
  const [cores, memory, space, swap] = [cpu ?? 4, ram ?? 8 * 1024 ** 3, disk ?? 80 * 1024 ** 3, total_swap ?? 0]
  // The newest sample says what the server itself does.
  const full = typeof free === 'number' ? 1 - free / space : 0.612
  const last = slotOf(now)
  const gapStart = last - (300 + Math.floor(noise(hostname) * 900)) * metricInterval
  const load = { m5: 0.4, m15: 0.4 }
  const sums = { rx: 4e11 * noise(`${hostname} rx`), tx: 9e11 * noise(`${hostname} tx`) }
  const samples: SentSample[] = []
  for (let timestamp = last - (mostSamples - 1) * metricInterval; timestamp <= last; timestamp += metricInterval) {
    const busy = activityAt(hostname, timestamp)
    const jitter = (what: string) => noise(`${hostname} ${what} ${timestamp}`)
    const total = Math.min(97, 4 + 22 * busy.day + 46 * busy.backup + 28 * busy.deploy + 3 * jitter('cpu'))
    const user = total * (0.7 + 0.05 * jitter('user'))
    const m1 = (cores * total * (1 + 0.2 * jitter('load'))) / 100
    load.m5 += (m1 - load.m5) * 0.6
    load.m15 += (m1 - load.m15) * 0.28
    sums.rx += metricInterval * 1e5 * (0.4 + 4 * busy.day + 2 * jitter('rx') + 20 * busy.deploy)
    sums.tx += metricInterval * 1e5 * (0.5 + 9 * busy.day + 3 * jitter('tx') + 80 * busy.backup)
    if (timestamp >= gapStart && timestamp < gapStart + gap * metricInterval) continue
    const used = memory * (0.44 + 0.06 * busy.day + 0.1 * busy.backup + 0.004 * jitter('memory'))
    const week = 1 - (last - timestamp) / (mostSamples * metricInterval)
    samples.push({
      timestamp,
      primary_interface: 'eth0',
      load: { m1: round(m1), m5: round(load.m5), m15: round(load.m15) },
      uptime: 63 * 86_400 - (last - timestamp),
      cpu: { user: round(user), system: round(total - user), idle: round(100 - total), total: round(total) },
      memory: usageOf(memory, used, Math.max(0, memory - used - memory * 0.27)),
      disk: usageOf(space, space * Math.max(0, full - 0.012 * (1 - week) + 0.03 * busy.backup)),
      swap: usageOf(swap, swap * (week < 0.55 ? 0.14 : 0.19)),
      network: {
        ...{ rx_bytes: Math.round(sums.rx), tx_bytes: Math.round(sums.tx) },
        ...{ rx_packets: Math.round(sums.rx / 900), tx_packets: Math.round(sums.tx / 1100) },
        ...{ rx_errors: 0, tx_errors: 0, rx_dropped: Math.round(sums.rx / 9e10), tx_dropped: 0 },
      },
    })
  }
  return samples
}

/** What a machine is busy with, each 0 to 1. */
function activityAt(hostname: string, seconds: number): { day: number; backup: number; deploy: number } {
  const hour = (seconds / 3600) % 24
  const isWeekend = [0, 6].includes(new Date(seconds * 1000).getUTCDay())
  const day = (0.5 - 0.5 * Math.cos(((hour - 4) / 24) * 2 * Math.PI)) ** 1.5 * (isWeekend ? 0.55 : 1)
  const eighth = Math.floor(seconds / 10_800)
  const isDeployed = hour > 8 && noise(`${hostname} deploy ${eighth}`) > 0.7
  const peak = (at: number, width: number) => Math.exp(-(((hour - at) / width) ** 2))
  const deploy = isDeployed ? peak((eighth % 8) * 3 + 3 * noise(`${hostname} at ${eighth}`), 0.2) : 0
  return { day, backup: peak(2.4, 0.35), deploy }
}

const round = (value: number): number => Math.round(value * 100) / 100

function usageOf(total: number, used: number, free = total - used): SentSample['disk'] {
  return {
    total,
    used: Math.round(used),
    free: Math.round(free),
    percent: total === 0 ? 0 : round((used / total) * 100),
  }
}
