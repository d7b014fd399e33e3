import type { Fault, SimulatedVendor } from './faults.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'
import {
  metaProblem,
  nextId,
  ok,
  ownerOf,
  places,
  refusal,
  startJob,
  versions,
  type Call,
  type State,
  type WpCloudOptions,
} from './wpcloud-call.ts'
import { ofSite } from './wpcloud-sites.ts'

/** WP Cloud as far as Easydash uses it (https://wp.cloud/docs/). */
export function simulatedWpCloud(options: WpCloudOptions): SimulatedVendor & { contents(): object } {
  const state: State = { ...options, sites: new Map(), jobs: new Map(), lastId: 1000 }
  return {
    respond: (request, effect) => respond(state, request, effect === 'fail_later'),
    errorOf: ({ kind, retryAfterSeconds }: Fault) =>
      kind === 'rate_limit'
        ? { ...refusal(429, 'Too many requests'), headers: { 'retry-after': String(retryAfterSeconds ?? 1) } }
        : kind === 'quota'
          ? refusal(403, 'quota reached')
          : refusal(500, 'internal error'),
    contents: () => ({
      sites: [...state.sites.values()].map(({ id, domain, aliases, meta, backups }) => ({
        id,
        domain,
        aliases: [...aliases],
        meta: Object.fromEntries(meta),
        backups: backups.map(({ id: backup, type }) => ({ id: backup, type })),
      })),
    }),
  }
}

function respond(state: State, request: ReceivedRequest, fails: boolean): SimulatedResponse | null {
  const account = state.keys[String(request.headers['auth'])]
  if (!account) return refusal(401, 'Unauthorized')
  if (account.access === 'none' || (account.access === 'read' && request.method !== 'GET'))
    return refusal(403, 'Forbidden')
  const url = new URL(request.path, 'http://vendor')
  const parts = url.pathname.split('/').slice(1).map(decodeURIComponent)
  const call: Call = {
    state,
    client: account.client,
    method: request.method,
    fails,
    form: new URLSearchParams(request.body),
  }
  return ofAccount(call, parts, url.searchParams) ?? ofSite(call, parts)
}

function ofAccount(call: Call, [what = '', first = '', second = '']: string[], query: URLSearchParams) {
  const { state, client, method } = call
  if (what === 'job-status' && method === 'GET') return jobStatus(state, Number(first))
  const ofClient = ['get-sites', 'get-php-versions', 'get-available-datacenters', 'create-site']
  const aboutDomain = ['check-can-host-domain', 'get-domain-verification-code']
  if (![...ofClient, ...aboutDomain].includes(what)) return null
  if (first !== client) return refusal(403, 'Forbidden')
  const own = [...state.sites.values()].filter((site) => site.client === client)
  switch (`${method} ${what}`) {
    case 'GET get-sites':
      return ok(
        own
          .filter(({ id }) => id > Number(query.get('after') ?? 0))
          .slice(0, Number(query.get('limit') ?? 100))
          .map(({ id, domain, meta }) => ({
            ...{ atomic_site_id: String(id), domain_name: domain, created: '2026-01-01 00:00:00' },
            space_used: meta.get('space_used'),
            ...(second === '_data' && { _data: meta.get('_data') ?? null }),
          })),
      )
    case 'GET get-php-versions':
      return ok(Object.fromEntries(versions.map((one) => [one, { status: 'available', default: one === '8.4' }])))
    case 'GET get-available-datacenters':
      return ok(places)
    case 'GET check-can-host-domain':
      return ok({ allowed: ownerOf(state, second) === undefined && !second.endsWith('.wordpress.com') })
    case 'GET get-domain-verification-code':
      return ok(`wpcloud-verification=${client}-${second.length}`)
    case 'POST create-site':
      return createSite(call)
  }
  return null
}

function jobStatus(state: State, id: number): SimulatedResponse {
  const job = state.jobs.get(id)
  if (!job) return refusal(404, 'Job not found')
  const status = state.now() < job.endsAt ? 'queued' : job.fails ? 'failure' : 'success'
  return ok({ _status: status, id: String(id) })
}

function createSite({ state, client, form, fails }: Call): SimulatedResponse {
  const [domain, user, email] = ['domain_name', 'admin_user', 'admin_email'].map((name) => form.get(name) ?? '')
  if (!domain || !user || !email) return refusal(400, 'Missing parameter')
  if (ownerOf(state, domain)) return refusal(409, 'Domain is already in use')
  const meta = new Map([
    ['php_version', form.get('php_version') ?? '8.4'],
    ['php_memory_limit', '512'],
    ['default_php_conns', '10'],
    ['burst_php_conns', '1'],
    ['space_quota', form.get('space_quota') ?? '200G'],
    ['space_used', '104857600'],
    ['geo_affinity', form.get('geo_affinity') ?? 'dfw'],
  ])
  const wrong = [...meta].find(([name, value]) => metaProblem(state, name, value) !== null)
  if (wrong) return refusal(400, `Invalid ${wrong[0]}`)
  const [id, job] = [nextId(state), startJob(state, fails)]
  const at = state.now()
  state.sites.set(id, {
    ...{ id, client, domain, admin: { user, email }, meta, aliases: new Set(), sshUsers: new Map(), defendedUntil: 0 },
    backups: (['fs', 'db'] as const).map((type) => ({ id: nextId(state), type, at })),
  })
  return ok({ job_id: job, atomic_site_id: id, domain_name: domain })
}
