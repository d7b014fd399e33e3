import { logPart, metrics, sshUser } from './wpcloud-watch.ts'
import { wpcBackupKinds, wpcDefenseMinutes } from '#shared/rules/wp-cloud.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'
import {
  jobMs,
  metaProblem,
  nextId,
  ok,
  ownerOf,
  refusal,
  startJob,
  type Call,
  type SimulatedSite,
  type State,
} from './wpcloud-call.ts'

/** On-demand backups of each kind that a site can have. */
const backupQuota = 1

/** Calls about one site, by its id or, for reading it, a domain. */
export function ofSite(call: Call, parts: string[]): SimulatedResponse | null {
  const { state, client, method } = call
  const [what = '', ...rest] = parts
  const named = byClient.has(what)
  const onDemand = what === 'on-demand-backup'
  if (named && rest[0] !== client) return refusal(403, 'Forbidden')
  const key = (named || onDemand || what === 'metrics' ? rest[1] : rest[0]) ?? ''
  const site = state.sites.get(Number(key)) ?? (what === 'get-site' ? ownerOf(state, key) : undefined)
  if (!site) return known.has(what) ? refusal(404, 'Site not found') : null
  if (site.client !== client) return refusal(403, 'Forbidden')
  if (what === 'site-meta') return siteMeta(call, site, rest[1] ?? '', rest[2] ?? '')
  if (what === 'site-alias') return siteAlias(call, site, rest[2] ?? '', rest[3] ?? '')
  if (what === 'ssh-user') return sshUser(call, site, rest[2] ?? '', rest[3] ?? '')
  if (what === 'edge-cache') return edgeCache(call, site, rest[1] ?? '')
  if (onDemand && method === 'POST') return backupOnDemand(state, site, rest[0] ?? '', rest[2] ?? '')
  switch (`${method} ${what}`) {
    case 'GET get-site':
      return ok({
        ...{ atomic_site_id: site.id, domain_name: site.domain, db_pass: 'database-password', wp_version: '6.8.3' },
        ...{ php_version: site.meta.get('php_version'), wp_admin_user: site.admin.user },
        wp_admin_email: site.admin.email,
      })
    case 'POST delete-site':
      if (backupsAt(state, site).some(({ type }) => type.startsWith('ondemand')))
        return refusal(412, 'On-demand backups exist')
      state.sites.delete(site.id)
      return ok({ job_id: startJob(state, call.fails) })
    case 'POST update-site-domain':
      return changeDomain(call, site, rest[2] ?? '', rest[3] === 'keep')
    case 'GET site-backups-list':
      return ok(
        backupsAt(state, site).map(({ id, type, at }) => ({
          ...{ atomic_backup_id: String(id), atomic_site_id: String(site.id), type },
          backup_timestamp: new Date(at).toISOString().slice(0, 19).replace('T', ' '),
        })),
      )
    case 'POST restore-site':
      return restoreSite(call, site)
    case 'GET site-set-access-type':
      return ['ssh', 'sftp'].includes(rest[2] ?? '') ? ok({ type: rest[2] }) : refusal(400, 'Invalid type')
    case 'POST site-error-logs':
    case 'POST site-logs':
      return logPart(call, site, what === 'site-error-logs')
    case 'POST metrics':
      return rest[0] === 'site' ? metrics(call, site) : null
  }
  return null
}

/** Calls that name the client before the site. */
const byClient: ReadonlySet<string> = new Set([
  ...['delete-site', 'site-alias', 'update-site-domain', 'site-backups-list', 'ssh-user', 'site-set-access-type'],
])
const known: ReadonlySet<string> = new Set([
  ...[...byClient, 'get-site', 'site-meta', 'edge-cache', 'on-demand-backup', 'restore-site'],
  ...['site-logs', 'site-error-logs', 'metrics'],
])

function siteMeta({ state, method, form }: Call, site: SimulatedSite, name: string, action: string) {
  if (action === 'get' && method === 'GET') return ok(site.meta.get(name) ?? null)
  if (action === 'remove' && method === 'GET') return site.meta.delete(name) ? ok([]) : refusal(404, 'Meta not found')
  if (action !== 'update' || method !== 'POST') return null
  const value = form.get('value') ?? ''
  const problem = name === 'space_used' ? 'Read only' : metaProblem(state, name, value)
  if (problem !== null) return refusal(400, problem)
  site.meta.set(name, value)
  return ok([])
}

function siteAlias({ state }: Call, site: SimulatedSite, action: string, domain: string) {
  if (action === 'add') {
    if ((ownerOf(state, domain) ?? site) !== site || domain === site.domain)
      return refusal(409, 'Domain is already in use')
    site.aliases.add(domain)
  }
  if (action === 'remove' && !site.aliases.delete(domain)) return refusal(404, 'Alias not found')
  return ['add', 'list', 'remove'].includes(action) ? ok({ domains: [...site.aliases] }) : null
}

function changeDomain(call: Call, site: SimulatedSite, domain: string, keep: boolean): SimulatedResponse {
  const { state, fails } = call
  if ((ownerOf(state, domain) ?? site) !== site) return refusal(409, 'Domain is already in use')
  const old = site.domain
  if (!fails) {
    site.aliases.delete(domain)
    site.domain = domain
    if (keep) site.aliases.add(old)
  }
  return ok({ job_id: startJob(state, fails), atomic_site_id: site.id, domain_name: domain, old_domain_name: old })
}

function edgeCache({ state, method, form }: Call, site: SimulatedSite, action: string): SimulatedResponse | null {
  if (method === 'GET' && action === 'ddos_until') return ok({ ddos_until: site.defendedUntil })
  if (method !== 'POST') return null
  if (action === 'purge') return ok([])
  if (action !== 'ddos_until') return null
  const until = Number(form.get('timestamp'))
  const minutes = (until - state.now() / 1000) / 60
  const { min, max } = wpcDefenseMinutes
  // The clock goes on between the call and its answer.
  if (until !== 0 && !(minutes > min - 2 && minutes <= max)) return refusal(400, 'Invalid timestamp')
  site.defendedUntil = until
  return ok([])
}

/** Those that are complete by now. */
const backupsAt = (state: State, site: SimulatedSite) => site.backups.filter(({ at }) => at <= state.now())

function backupOnDemand(state: State, site: SimulatedSite, action: string, what: string): SimulatedResponse | null {
  if (action === 'delete') {
    const at = site.backups.findIndex(({ id, type }) => String(id) === what && type.startsWith('ondemand'))
    if (at < 0) return refusal(404, 'Backup not found')
    site.backups.splice(at, 1)
    return ok({ atomic_backup_request_id: nextId(state) })
  }
  if (action !== 'create') return null
  if (!wpcBackupKinds.some((kind) => kind === what)) return refusal(400, 'Invalid type')
  const type = `ondemand-${what}`
  if (site.backups.filter((one) => one.type === type).length >= backupQuota) return refusal(403, 'Backup quota reached')
  site.backups.push({ id: nextId(state), type, at: state.now() + jobMs })
  return ok({ atomic_backup_request_id: nextId(state) })
}

function restoreSite({ state, form, fails }: Call, site: SimulatedSite): SimulatedResponse {
  if (!site.meta.has('allow_restore')) return refusal(400, 'allow_restore is missing')
  if (site.meta.get('suspended') !== '503') return refusal(409, 'Site is not suspended')
  const chosen = form.getAll('restore_from[]').map((id) => backupsAt(state, site).find((one) => String(one.id) === id))
  if (chosen.includes(undefined)) return refusal(404, 'Backup not found')
  const kinds = new Set(chosen.map((one) => one?.type.replace('ondemand-', '')))
  if (chosen.length !== 2 || kinds.size !== 2) return refusal(409, 'Two backups of different types are needed')
  return ok({ atomic_job_id: startJob(state, fails), response_ticket_id: `${site.id}abc.def` })
}
