import { parseJson, isObject } from '#shared/parse-json.ts'

/** A unit of systemd. */
export interface ObservedUnit {
  readonly unit: string
  /** `LoadState` and `ActiveState` of systemd; null if it said nothing. */
  readonly load: string | null
  readonly active: string | null
  /** Seconds since it got into its state. */
  readonly age: number | null
  readonly restarts: number | null
}

export const containerStates = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] as const

/** A container of Docker. */
export interface ObservedContainer {
  readonly name: string
  readonly state: (typeof containerStates)[number]
  readonly age: number | null
  readonly exitCode: number | null
  readonly restarts: number | null
  readonly site: string | null
  readonly project: string | null
  readonly service: string | null
}

/** What `monitoring.sh` says about a machine. */
export interface Observed {
  readonly diskPercent: number
  readonly memoryPercent: number
  /** Average of five minutes. */
  readonly load: number
  readonly cpu: number
  /** Null if the machine does not say. */
  readonly needsReboot: boolean | null
  /** Status code of the page on port 80; 0 if nothing answered, null if nobody asked. */
  readonly http: number | null
  /** Null without systemd. */
  readonly units: readonly ObservedUnit[] | null
  readonly docker: 'running' | 'down' | 'missing'
  readonly containers: readonly ObservedContainer[]
  /** Null if they could not be read. */
  readonly certificates: readonly ObservedCertificate[] | null
}

/** A certificate that the proxy of a machine serves. */
export interface ObservedCertificate {
  readonly domain: string
  /** When it ends, in seconds since 1970. */
  readonly expires: number
}

/** More than the script lists: a machine can say anything about itself. */
const mostContainers = 300
const mostUnits = 20
const mostCertificates = 300

/** Reads the output of `monitoring.sh`; null if it is not complete, or makes no sense. */
export function parseObserved(output: string): Observed | null {
  const values = new Map<string, string>()
  const units: Map<string, string>[] = []
  const lines: string[] = []
  const certificates: string[] = []
  for (const line of output.split('\n')) {
    const at = line.indexOf('=')
    if (at < 1) continue
    const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()]
    if (name === 'unit') units.push(new Map([[name, value]]))
    else if (name === 'container') lines.push(value)
    else if (name === 'certificate') certificates.push(value)
    // Properties of systemd begin with a capital letter.
    else if (/^[A-Z]/.test(name)) units.at(-1)?.set(name, value)
    else if (!values.has(name)) values.set(name, value)
  }
  const count = (name: string) => wholeNumber(values.get(name))
  const [total, free, ram, available] = ['disk_kb', 'disk_free_kb', 'ram_kb', 'ram_available_kb'].map(count)
  const [now, uptime, cpu] = ['now', 'uptime', 'cpu'].map(count)
  const load = values.get('load') ?? ''
  const docker = (['running', 'down', 'missing'] as const).find((state) => state === values.get('docker'))
  if (values.get('complete') !== 'yes' || !docker || !now || uptime == null || !cpu) return null
  if (!total || free == null || !ram || available == null || !/^\d{1,6}(?:\.\d{1,4})?$/.test(load)) return null
  const http = values.get('http') ?? ''
  return {
    diskPercent: usedPercent(total, free),
    memoryPercent: usedPercent(ram, available),
    load: Number(load),
    cpu,
    needsReboot: { yes: true, no: false }[values.get('reboot') ?? ''] ?? null,
    http: /^\d{3}$/.test(http) ? Number(http) : null,
    units: units.length === 0 ? null : units.slice(0, mostUnits).map((properties) => unitOf(properties, uptime)),
    docker,
    containers: lines.slice(0, mostContainers).flatMap((line) => containerOf(line, now) ?? []),
    certificates: values.get('certificates') === 'read' ? certificatesIn(certificates) : null,
  }
}

/** One for each domain, the one that ends first. */
function certificatesIn(lines: readonly string[]): ObservedCertificate[] {
  const byDomain = new Map<string, ObservedCertificate>()
  for (const line of lines.slice(0, mostCertificates)) {
    const [, expires = '', domain = ''] = /^(\d{1,12}) ([a-z\d_*.-]{1,253})$/i.exec(line) ?? []
    if (domain !== '' && !(Number(expires) >= (byDomain.get(domain)?.expires ?? Infinity)))
      byDomain.set(domain, { domain, expires: Number(expires) })
  }
  return [...byDomain.values()].toSorted((one, other) => one.expires - other.expires)
}

const wholeNumber = (text: string | undefined): number | null => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : null)

/** Longest time that is believed, in seconds: twenty years. */
const longestAge = 20 * 366 * 86_400

const ageOf = (seconds: number): number | null => (seconds > longestAge ? null : Math.max(0, Math.round(seconds)))

const usedPercent = (total: number, free: number): number =>
  Math.min(100, Math.max(0, Math.round((1 - free / total) * 1000) / 10))

function unitOf(properties: ReadonlyMap<string, string>, uptime: number): ObservedUnit {
  const active = properties.get('ActiveState') || null
  const isUp = active === 'active' || active === 'reloading' || active === 'activating'
  const entered = wholeNumber(
    properties.get(isUp ? 'ActiveEnterTimestampMonotonic' : 'InactiveEnterTimestampMonotonic'),
  )
  return {
    unit: properties.get('unit') ?? '',
    load: properties.get('LoadState') || null,
    active,
    // 0 means never.
    age: entered ? ageOf(uptime - entered / 1e6) : null,
    restarts: wholeNumber(properties.get('NRestarts')),
  }
}

/** A container, or null for a line that is none. `now`: seconds since 1970 by the clock of the machine. */
function containerOf(line: string, now: number): ObservedContainer | null {
  const found = parseJson(line)
  if (!isObject(found)) return null
  const text = (key: string): string | null => {
    const value = found[key]
    return typeof value === 'string' && value !== '' ? value.slice(0, 253) : null
  }
  const whole = (key: string): number | null => (Number.isSafeInteger(found[key]) ? Number(found[key]) : null)
  const name = text('name')?.replace(/^\//, '')
  const state = containerStates.find((known) => known === found['state'])
  if (!name || !state) return null
  const isUp = state === 'running' || state === 'paused'
  const changed = Date.parse(text(isUp ? 'started' : 'finished') ?? '') / 1000
  return {
    name,
    state,
    // Docker writes the year 1 for never.
    age: changed > 0 ? ageOf(now - changed) : null,
    exitCode: isUp ? null : whole('code'),
    restarts: whole('restarts'),
    site: text('site'),
    project: text('project'),
    service: text('service'),
  }
}
