import { isWpcSshUser } from '#shared/rules/wp-cloud.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'
import { ok, refusal, type Call, type SimulatedSite } from './wpcloud-call.ts'

/** SSH users of a site. */
export function sshUser({ state, method, form }: Call, site: SimulatedSite, action: string, user: string) {
  if (action === 'list' && method === 'GET') return ok([...site.sshUsers.keys()])
  if (method !== 'POST') return null
  if (action === 'remove') return site.sshUsers.delete(user) ? ok(true) : refusal(404, 'User not found')
  if (action !== 'add') return null
  const name = form.get('user') ?? ''
  if (!isWpcSshUser(name)) return refusal(400, 'Invalid user')
  if ([...state.sites.values()].some(({ sshUsers }) => sshUsers.has(name))) return refusal(409, 'User exists')
  if (form.get('pass') !== '' || !(form.get('pkey') ?? '').startsWith('ssh-')) return refusal(400, 'Invalid key')
  site.sshUsers.set(name, form.get('pkey') ?? '')
  return ok({ user: name, pass: '' })
}

const minute = 60_000
/** Lines of each log. */
const logLines = 450

/** A log in parts, newest first: the cursor is the number of the next line. */
export function logPart({ state, form }: Call, site: SimulatedSite, isErrors: boolean): SimulatedResponse {
  const of = (name: string) => Number(form.get(`data[${name}]`))
  if (!(of('start') < of('end'))) return refusal(400, 'Invalid time range')
  const from = Number(form.get('data[scroll_id]') ?? 0)
  const size = Math.min(of('page_size') || 500, 500)
  const logs = Array.from({ length: Math.max(0, Math.min(size, logLines - from)) }, (_, index) => {
    const at = state.now() - (from + index) * minute
    return isErrors
      ? {
          ...{ severity: 'Warning', message: `Undefined variable $example_${from + index}`, line: 12 },
          ...{ file: '/srv/htdocs/wp-content/themes/example/functions.php', atomic_site_id: site.id },
          timestamp: new Date(at).toISOString(),
        }
      : {
          ...{ request_type: 'GET', request_url: `/page-${from + index}/`, status: 200, request_time: 0.12 },
          ...{ user_ip: '192.0.2.7', http_host: site.domain, timestamp: Math.floor(at / 1000) },
        }
  })
  return ok({ total_results: logLines, logs, scroll_id: String(from + logs.length) })
}

/** Requests by host name; the length of periods follows from the range. */
export function metrics({ form }: Call, site: SimulatedSite): SimulatedResponse {
  const [start, end] = [Number(form.get('start')), Number(form.get('end'))]
  if (!(start < end)) return refusal(400, 'Invalid time range')
  const resolution = Math.ceil((end - start) / 96)
  const count = Math.floor((end - start) / resolution)
  const wave = (index: number) => Math.sin(index / 8) + 1
  const of = (value: number) => ({ [site.domain]: value })
  return ok({
    _meta: { start, end, resolution, metrics: form.getAll('metric[]'), dimensions: ['http_host'], took: 12 },
    periods: Array.from({ length: count }, (_, index) => ({
      timestamp: start + index * resolution,
      http_host: {
        requests: of(Math.round(40 * wave(index))),
        response_time_average: of(0.18 + 0.05 * wave(index)),
        edge_cache_hit_percentage: of(60 + 10 * wave(index)),
      },
    })),
  })
}
