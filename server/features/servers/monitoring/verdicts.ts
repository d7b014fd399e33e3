import type { Server } from '#shared/doctypes/server.ts'
import type { ServerCheck, ServerContainer, ServerService, Verdict } from '#shared/responses/server-monitoring.ts'
import { metricFreshMs } from '#shared/rules/metric-ranges.ts'
import { daysUntil, defaultAlertRules } from '#shared/rules/alert-rules.ts'
import { fullUsage, highUsage } from '#shared/rules/usage.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import type { Observed, ObservedContainer, ObservedUnit } from './parse-observed.ts'

/** Units of systemd that a server is expected to run, if it was set up by Easydash, or in any case. */
const expectedUnits: Readonly<Record<string, (server: Server) => boolean>> = {
  'docker.service': () => true,
  'ssh.service': () => true,
  'cron.service': () => true,
  'fail2ban.service': isSetUpByUs,
  'ufw.service': isSetUpByUs,
  'easydash-metrics.timer': ({ metrics_agent }) => metrics_agent === 1,
}

/** What runs on an imported server is its owner's decision. */
function isSetUpByUs({ is_imported_with_ee }: Server): boolean {
  return is_imported_with_ee !== 1
}

/** Units that are looked at. */
export const watchedUnits = Object.keys(expectedUnits)

/** Days before the end of a certificate from which its renewal has clearly failed. */
const urgentDays = 3

/** The average load of a processor from which the server is busy, and from which it is overloaded. */
const [busyLoad, overLoad] = [1, 4] as const

const since = (age: number | null, now: number) => (age === null ? null : formatTimestamp(now - age * 1000))

/** The units that are looked at, as they were found. */
export function servicesOf(server: Server, units: readonly ObservedUnit[], now: number): ServerService[] {
  return Object.entries(expectedUnits).map(([unit, isExpected]) => {
    const found = units.find((one) => one.unit === unit)
    const state = found ? unitState(found) : 'unknown'
    return {
      ...{ unit, state, verdict: unitVerdict(state, isExpected(server)) },
      since: state === 'missing' ? null : since(found?.age ?? null, now),
      restarts: state === 'missing' ? null : (found?.restarts ?? null),
    }
  })
}

function unitState({ load, active }: ObservedUnit): ServerService['state'] {
  if (load === 'not-found') return 'missing'
  switch (active) {
    case 'active':
      return 'running'
    case 'activating':
    case 'deactivating':
    case 'reloading':
      return 'changing'
    case 'inactive':
      return 'stopped'
    case 'failed':
      return 'failed'
    default:
      return 'unknown'
  }
}

function unitVerdict(state: ServerService['state'], isExpected: boolean): Verdict {
  if (state === 'running') return 'ok'
  if (state === 'unknown') return 'unknown'
  if (state === 'failed') return 'failed'
  if (state === 'changing') return 'warn'
  return isExpected ? 'failed' : 'none'
}

/** The containers that were found, those of EasyEngine first. */
export function containersOf(containers: readonly ObservedContainer[], now: number): ServerContainer[] {
  const kinds = ['global', 'site', 'other'] as const
  return containers
    .map((found): ServerContainer => {
      const kind = kindOf(found)
      return {
        ...{ name: found.name, kind, site: found.site, service: found.service, state: found.state },
        ...{ exit_code: found.exitCode, restarts: found.restarts },
        verdict: containerVerdict(found, kind),
        since: since(found.age, now),
      }
    })
    .toSorted(
      (one, other) =>
        kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
        (one.site ?? '').localeCompare(other.site ?? '') ||
        one.name.localeCompare(other.name),
    )
}

const kindOf = ({ site, project, service }: ObservedContainer): ServerContainer['kind'] =>
  site !== null ? 'site' : project === 'services' && service?.startsWith('global-') ? 'global' : 'other'

function containerVerdict({ state, exitCode }: ObservedContainer, kind: ServerContainer['kind']): Verdict {
  if (state === 'running') return 'ok'
  if (state !== 'exited' && state !== 'dead') return 'warn'
  // Somebody's own containers may have done their work.
  return kind === 'other' && exitCode === 0 ? 'none' : 'failed'
}

type Verdicts = (value: number) => Verdict
const usage: Verdicts = (percent) => (percent >= fullUsage ? 'failed' : percent >= highUsage ? 'warn' : 'ok')
const load =
  (cpu: number): Verdicts =>
  (average) =>
    average > overLoad * cpu ? 'failed' : average > busyLoad * cpu ? 'warn' : 'ok'

/** Whether SSH reached the server; `advice`: why it did not, or why it read nothing. */
export interface Reached {
  readonly verdict: 'ok' | 'warn' | 'failed'
  readonly advice: string | null
}

const check = (key: ServerCheck['key'], rest: Partial<ServerCheck>): ServerCheck => ({
  ...{ key, verdict: 'unknown', observed: null, value: null, detail: null, ...rest },
})

/** A check of what was measured earlier; `unknown` if that was too long ago. */
const storedSince =
  (now: number) =>
  (value: number | null, measured: string | null, judge: Verdicts): Partial<ServerCheck> => {
    if (value === null || measured === null) return {}
    const isFresh = now - parseTimestamp(measured) <= metricFreshMs
    return { value, observed: measured, verdict: isFresh ? judge(value) : 'unknown' }
  }

/** The checks of the machine that Easydash runs on, by its last sample: it does not connect to itself. */
export function checksOfThisMachine(server: Server, now: number): ServerCheck[] {
  const stored = storedSince(now)
  const { metrics_at: sampled } = server
  return [
    check('disk', stored(server.disk_percent, sampled, usage)),
    check('memory', stored(server.memory_percent, sampled, usage)),
    check('load', stored(server.load_1, sampled, load(server.cpu ?? 1))),
  ]
}

/**
 * The checks of a server. What was not observed now is taken from its last sample and facts, and `unknown` if these are old.
 * @param now milliseconds since 1970
 */
export function checksOf(server: Server, reached: Reached, observed: Observed | null, now: number): ServerCheck[] {
  const at = formatTimestamp(now)
  const live = (value: number, verdict: Verdict): Partial<ServerCheck> => ({ value, verdict, observed: at })
  const stored = storedSince(now)
  const { metrics_at: sampled } = server
  const isBusy = load(observed?.cpu ?? server.cpu ?? 1)
  return [
    check('reach', { verdict: reached.verdict, observed: at, detail: reached.advice }),
    check(
      'disk',
      observed ? live(observed.diskPercent, usage(observed.diskPercent)) : stored(server.disk_percent, sampled, usage),
    ),
    check(
      'memory',
      observed
        ? live(observed.memoryPercent, usage(observed.memoryPercent))
        : stored(server.memory_percent, sampled, usage),
    ),
    check('load', observed ? live(observed.load, isBusy(observed.load)) : stored(server.load_1, sampled, isBusy)),
    check(
      'updates',
      stored(server.security_updates, server.checked_at, (count) => (count > 0 ? 'warn' : 'ok')),
    ),
    check(
      'reboot',
      observed?.needsReboot == null ? {} : live(Number(observed.needsReboot), observed.needsReboot ? 'warn' : 'ok'),
    ),
    check('proxy', observed?.http == null ? {} : live(observed.http, proxyVerdict(observed))),
    check('certificates', certificatesFound(observed, now)),
  ]
}

/** The certificate that ends first, with its domain and the days until then. */
function certificatesFound(observed: Observed | null, now: number): Partial<ServerCheck> {
  if (!observed?.certificates) return {}
  const at = formatTimestamp(now)
  const [first] = observed.certificates
  if (!first) return { observed: at, verdict: 'none' }
  const days = daysUntil(first.expires, now)
  const verdict = days < urgentDays ? 'failed' : days < defaultAlertRules.certificate.threshold ? 'warn' : 'ok'
  return { observed: at, verdict, value: days, detail: first.domain }
}

/** EasyEngine's proxy comes with the first site. It answers requests for no site with an error, which is right. */
function proxyVerdict({ http, docker, containers }: Observed): Verdict {
  if (http !== 0) return 'ok'
  const isExpected = containers.some(({ site, service }) => site !== null || service === 'global-nginx-proxy')
  return isExpected ? 'failed' : docker === 'running' ? 'none' : 'unknown'
}
