import { readFile } from 'node:fs/promises'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { arch, cpus, hostname, platform, release, totalmem, type as osType, uptime } from 'node:os'
import type { HostInfo } from '../site-host.ts'

/** Measures this machine. `folder` is on the file system whose size is reported. */
export async function measureHost(folder: string): Promise<HostInfo> {
  const [disk, os, swap] = await Promise.all([diskSpace(folder), osName(), totalSwap()])
  const processors = cpus()
  return {
    hostname: hostname(),
    os,
    kernel: `${osType()} ${release()}`,
    processor: processors[0]?.model.trim() || arch(),
    cpu: Math.max(1, processors.length),
    ram: totalmem(),
    disk: disk.total,
    diskFree: disk.free,
    totalSwap: swap,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    uptimeSeconds: Math.floor(uptime()),
  }
}

async function osName(): Promise<string> {
  if (platform() !== 'linux')
    return platform() === 'darwin' ? `macOS (Darwin ${release()})` : `${osType()} ${release()}`
  try {
    const text = await readFile('/etc/os-release', 'utf8')
    return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(text)?.[1] ?? 'Linux'
  } catch {
    // Minimal images don't have this file.
    return 'Linux'
  }
}

async function totalSwap(): Promise<number> {
  try {
    const kilobytes = /^SwapTotal:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    // Not Linux: Node doesn't report swap there.
    return 0
  }
}
