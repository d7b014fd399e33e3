import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const name = z.string().check(z.maxLength(253))
const restarts = described(z.nullable(z.int()), 'Times it was started again by itself; null if that is not counted')
const since = described(z.nullable(timestamp), 'When it got into this state')

/** What a state means: `none` if nothing is expected, `unknown` if it was not observed. */
const verdict = z.enum(['ok', 'warn', 'failed', 'unknown', 'none'])
export type Verdict = z.infer<typeof verdict>

const service = z.object({
  unit: described(name, 'Unit of systemd'),
  state: z.enum(['running', 'changing', 'stopped', 'failed', 'missing', 'unknown']),
  verdict,
  since,
  restarts,
})
export type ServerService = z.infer<typeof service>

const container = z.object({
  name,
  kind: described(z.enum(['global', 'site', 'other']), 'Whether EasyEngine has it for all sites, or for one'),
  site: described(z.nullable(name), 'Domain of its site'),
  service: described(z.nullable(name), 'What it runs, as Compose names it'),
  state: z.enum(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']),
  exit_code: described(z.nullable(z.int()), 'Null while it runs'),
  verdict,
  since,
  restarts,
})
export type ServerContainer = z.infer<typeof container>

/** What is checked on a server, in the order shown. */
export const serverCheckKeys = [
  'reach',
  'disk',
  'memory',
  'load',
  'updates',
  'reboot',
  'proxy',
  'certificates',
] as const

const check = z.object({
  key: z.enum(serverCheckKeys),
  verdict,
  observed: described(z.nullable(timestamp), 'When; null if never'),
  value: described(
    z.nullable(z.number()),
    'Disk and memory: percent used; load: average; updates: count; proxy: status code, 0 if nothing answered; certificates: days until the first one ends',
  ),
  detail: described(
    z.nullable(z.string().check(z.maxLength(500))),
    'Why it is not reached, and what to do; the domain of the certificate that ends first',
  ),
})
export type ServerCheck = z.infer<typeof check>

/** How a server is at the moment (`get_monitoring`). */
export const serverMonitoring = z.object({
  observed: described(z.nullable(timestamp), 'When it answered; null if it did not'),
  cpu: described(z.nullable(z.int()), 'Its processors'),
  checks: z.array(check),
  services: described(z.nullable(z.array(service)), 'Null if they were not read'),
  docker: described(z.nullable(z.enum(['running', 'down', 'missing'])), 'Null if that was not read'),
  containers: described(z.nullable(z.array(container)), 'Null if they were not read'),
})
export type ServerMonitoring = z.infer<typeof serverMonitoring>
