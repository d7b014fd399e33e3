import { readFile } from 'node:fs/promises'
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import type { SentSample } from '#shared/responses/server-metrics.ts'

/** Processor times of this machine since its start, all processors together. */
export interface ProcessorTimes {
  readonly user: number
  readonly system: number
  readonly idle: number
}

/** Processor times until now. */
export function processorTimes(): ProcessorTimes {
  const sum = { user: 0, system: 0, idle: 0 }
  for (const { times } of cpus()) {
    sum.user += times.user + times.nice
    sum.system += times.sys + times.irq
    sum.idle += times.idle
  }
  return sum
}

/**
 * Measures this machine. What Node does not report comes from `/proc`, and is 0 where that does not exist (macOS).
 * @param before processor times at the start of the interval
 * @param disk size and free space of the file system that holds the sites, in bytes
 * @param now milliseconds since 1970
 */
export async function measureMachine(
  before: ProcessorTimes,
  disk: { readonly total: number; readonly free: number },
  now: number,
): Promise<SentSample> {
  const [meminfo, route, dev] = await Promise.all([proc('meminfo'), proc('net/route'), proc('net/dev')])
  const bytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  }
  const total = bytes('MemTotal') ?? totalmem()
  const free = bytes('MemFree') ?? freemem()
  const swap = { total: bytes('SwapTotal') ?? 0, free: bytes('SwapFree') ?? 0 }
  const name = primaryInterface(route)
  const [m1 = 0, m5 = 0, m15 = 0] = loadavg()
  return {
    timestamp: Math.floor(now / 1000),
    primary_interface: name,
    load: { m1, m5, m15 },
    uptime: Math.floor(uptime()),
    cpu: shares(before, processorTimes()),
    memory: usageOf(total, total - (bytes('MemAvailable') ?? free), free),
    disk: usageOf(disk.total, disk.total - disk.free, disk.free),
    network: traffic(dev, name),
    swap: usageOf(swap.total, swap.total - swap.free, swap.free),
  }
}

async function proc(name: string): Promise<string> {
  try {
    return await readFile(`/proc/${name}`, 'utf8')
  } catch {
    return ''
  }
}

const percent = (part: number, whole: number): number =>
  whole > 0 ? Math.min(100, Math.max(0, Math.round((part / whole) * 10_000) / 100)) : 0

function usageOf(total: number, used: number, free: number): SentSample['memory'] {
  return { total, used: Math.max(0, used), free, percent: percent(used, total) }
}

function shares(before: ProcessorTimes, after: ProcessorTimes): SentSample['cpu'] {
  const [user, system, idle] = [after.user - before.user, after.system - before.system, after.idle - before.idle]
  const all = user + system + idle
  return {
    user: percent(user, all),
    system: percent(system, all),
    idle: percent(idle, all),
    total: percent(user + system, all),
  }
}

/** Interface of the default route (`/proc/net/route`); empty if there is none. */
function primaryInterface(route: string): string {
  return /^(\S+)\s+00000000\s/m.exec(route)?.[1] ?? ''
}

/** Counters of an interface (`/proc/net/dev`): eight of what was received, eight of what was sent. */
function traffic(dev: string, name: string): SentSample['network'] {
  const line = dev.split('\n').find((one) => one.trimStart().startsWith(`${name}:`)) ?? ''
  const at = line
    .slice(line.indexOf(':') + 1)
    .trim()
    .split(/\s+/)
    .map(Number)
  const [rx_bytes = 0, rx_packets = 0, rx_errors = 0, rx_dropped = 0] = at
  const [tx_bytes = 0, tx_packets = 0, tx_errors = 0, tx_dropped = 0] = at.slice(8)
  return { rx_bytes, tx_bytes, rx_packets, tx_packets, rx_errors, tx_errors, rx_dropped, tx_dropped }
}
