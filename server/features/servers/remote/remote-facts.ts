import type { HostInfo } from '#server/engines/site-host.ts'

/** What `facts.sh` says about a machine. Sizes in bytes. */
export interface RemoteFacts extends HostInfo {
  /** `ID` and `VERSION_ID` of os-release, for example `ubuntu` and `24.04`. */
  readonly osId: string
  readonly osVersion: string
  /** Whether the user of the connection is root, or becomes it without a password. */
  readonly sudo: boolean
  readonly docker: string | null
  readonly dockerCompose: string | null
  readonly python: string | null
  readonly easyengine: string | null
  readonly pendingUpdates: number | null
  readonly securityUpdates: number | null
  /** Of 80 and 443, those that some program holds. */
  readonly takenPorts: readonly number[]
}

/** Longest value that is kept: a machine can say anything about itself. */
const maxLength = 140

/** Reads the output of `facts.sh`; null if it is not complete, or numbers are missing. */
export function parseFacts(output: string): RemoteFacts | null {
  const values = new Map<string, string>()
  const takenPorts: number[] = []
  for (const line of output.split('\n')) {
    const at = line.indexOf('=')
    const [name, value] = [
      line.slice(0, at),
      line
        .slice(at + 1)
        .trim()
        .slice(0, maxLength),
    ]
    if (name === 'taken_port' && (value === '80' || value === '443')) takenPorts.push(Number(value))
    else if (at > 0 && !values.has(name)) values.set(name, value)
  }
  const text = (name: string): string | null => values.get(name) || null
  const count = (name: string): number | null => {
    const value = values.get(name) ?? ''
    return /^\d{1,15}$/.test(value) ? Number(value) : null
  }
  const [cpu, ram, disk, free] = [count('cpu'), count('ram_kb'), count('disk_kb'), count('disk_free_kb')]
  if (values.get('complete') !== 'yes' || cpu === null || ram === null || disk === null || free === null) return null
  return {
    hostname: text('hostname') ?? '',
    os: text('os') ?? '',
    osId: text('os_id') ?? '',
    osVersion: text('os_version') ?? '',
    kernel: text('kernel') ?? '',
    processor: text('processor') ?? '',
    cpu,
    ram: ram * 1024,
    disk: disk * 1024,
    diskFree: free * 1024,
    totalSwap: (count('swap_kb') ?? 0) * 1024,
    timezone: text('timezone') ?? '',
    uptimeSeconds: count('uptime') ?? 0,
    sudo: values.get('sudo') === 'yes',
    docker: text('docker'),
    dockerCompose: text('docker_compose'),
    python: text('python'),
    easyengine: text('easyengine'),
    facts: { easyengine: text('easyengine'), git: text('git') === 'yes' },
    pendingUpdates: count('pending_updates'),
    securityUpdates: count('security_updates'),
    takenPorts,
  }
}
