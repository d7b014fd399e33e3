import * as z from 'zod/mini'
import { ProviderError } from '../provider-error.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { collectPages, createOnce, nullIfMissing, type VendorApi, type VendorTransport } from '../vendor-api.ts'
import { ask, idOf, numeral, wpCloudApi, type WpCloudAccount } from './wpcloud-api.ts'
import { wpCloudAccess, type WpCloudAccess } from './wpcloud-access.ts'
import { wpCloudLogs, type WpCloudLogs } from './wpcloud-logs.ts'
import { wpCloudBackups, type WpCloudBackups } from './wpcloud-backups.ts'

/** A new site. */
export interface WpCloudOrder {
  readonly domain: string
  readonly adminUser: string
  readonly adminEmail: string
  readonly adminPassword: string
  /** Null: WP Cloud's default. */
  readonly phpVersion: string | null
  /** Code of a data center; null: where there is room. */
  readonly place: string | null
  readonly spaceGb: number
}

/** What WP Cloud says about a site. */
export interface WpCloudSite {
  readonly id: string
  readonly domain: string
  readonly phpVersion: string | null
  readonly wordpressVersion: string | null
  readonly adminUser: string | null
  readonly adminEmail: string | null
}

/** A site in the list of an account. */
export interface WpCloudListed {
  readonly id: string
  readonly domain: string
}

/** Settings of a site that WP Cloud keeps as its meta data. */
export type WpCloudSetting =
  | 'php_version'
  | 'php_memory_limit'
  | 'default_php_conns'
  | 'burst_php_conns'
  | 'space_quota'
  | 'space_used'
  | 'geo_affinity'
  | 'suspended'
  | 'allow_restore'
  | '_data'

/** A version of PHP. */
export interface WpCloudPhp {
  readonly version: string
  readonly isDefault: boolean
  /** When WP Cloud removes it, as it writes it; null if it does not say. */
  readonly until: string | null
}

/** One client account at WP Cloud. Sites are named by their ids. Methods throw ProviderError. */
export interface WpCloud extends WpCloudAccess, WpCloudBackups, WpCloudLogs {
  readonly client: string
  /** Null if it can serve a domain, else the TXT record that proves whose it is. */
  proofFor(domain: string, signal?: AbortSignal): Promise<string | null>
  /** Orders a site once: one of the domain with this administrator is the one that an earlier attempt ordered. */
  create(order: WpCloudOrder, signal?: AbortSignal): Promise<{ readonly id: string; readonly job: string | null }>
  /** All sites of the account but those that WP Cloud watches itself by, which nobody may change. */
  list(signal?: AbortSignal): Promise<readonly WpCloudListed[]>
  /** By id or domain; null if the account has none. */
  find(site: string, signal?: AbortSignal): Promise<WpCloudSite | null>
  jobState(job: string, signal?: AbortSignal): Promise<'running' | 'done' | 'failed'>
  /** Deletes a site with all of its backups; the job that does it, null if there is no such site. */
  remove(site: string, signal?: AbortSignal): Promise<string | null>
  /** Null if it is not set. */
  setting(site: string, name: WpCloudSetting, signal?: AbortSignal): Promise<string | null>
  set(site: string, name: WpCloudSetting, value: string, signal?: AbortSignal): Promise<void>
  unset(site: string, name: WpCloudSetting, signal?: AbortSignal): Promise<void>
  aliases(site: string, signal?: AbortSignal): Promise<readonly string[]>
  addAlias(site: string, domain: string, signal?: AbortSignal): Promise<void>
  removeAlias(site: string, domain: string, signal?: AbortSignal): Promise<void>
  /** Makes a domain the primary one and keeps the one of before as an alias; the job that does it. */
  changeDomain(site: string, domain: string, signal?: AbortSignal): Promise<string>
  purgeCache(site: string, signal?: AbortSignal): Promise<void>
  /** Until a time in seconds since the epoch; 0 ends defensive mode. */
  defendUntil(site: string, seconds: number, signal?: AbortSignal): Promise<void>
  /** Seconds since the epoch; 0: it is off. */
  defendedUntil(site: string, signal?: AbortSignal): Promise<number>
  phpVersions(signal?: AbortSignal): Promise<readonly WpCloudPhp[]>
  /** Codes of data centers with room. */
  dataCenters(signal?: AbortSignal): Promise<readonly string[]>
}

const text = z.string().check(z.maxLength(300))
const optional = z.optional(z.nullable(text))
const anything = z.unknown()
const queued = z.object({ job_id: numeral })

const siteFields = z.object({
  atomic_site_id: numeral,
  domain_name: text,
  php_version: optional,
  wp_version: optional,
  wp_admin_user: optional,
  wp_admin_email: optional,
})

/** Opens an account. The object holds the key: use it and let it go. */
export function wpCloud(account: WpCloudAccount, endpoint: string | null, transport: VendorTransport): WpCloud {
  const api = wpCloudApi(account, endpoint, transport)
  const client = encodeURIComponent(account.client)
  return {
    client: account.client,
    ...wpCloudAccess(api, client),
    ...wpCloudBackups(api, client),
    ...wpCloudLogs(api),
    ...sites(api, client),
    ...settings(api, client),
    ...traffic(api),
    async phpVersions(signal) {
      const found = await ask(api, { path: `/get-php-versions/${client}/verbose`, signal }, phpList)
      return phpOf(found)
    },
    dataCenters: (signal) => ask(api, { path: `/get-available-datacenters/${client}`, signal }, z.array(text)),
  }
}

function sites(api: VendorApi, client: string) {
  const find: WpCloud['find'] = async (site, signal) => {
    const path = `/get-site/${encodeURIComponent(site)}`
    const found = await nullIfMissing(ask(api, { path, signal }, siteFields))
    return (
      found && {
        id: found.atomic_site_id,
        domain: found.domain_name,
        phpVersion: found.php_version ?? null,
        wordpressVersion: found.wp_version ?? null,
        adminUser: found.wp_admin_user ?? null,
        adminEmail: found.wp_admin_email ?? null,
      }
    )
  }
  return {
    find,
    list: (signal) =>
      collectPages(api, '0', async (after) => {
        const query = { limit: String(pageSize), ...(after !== '0' && { after }) }
        const rows = await ask(api, { path: `/get-sites/${client}/_data`, query, signal }, listed)
        const last = rows.at(-1)
        const items = rows.filter((row) => !isCanary(row._data)).map(listedOf)
        return { items, next: last && rows.length === pageSize ? last.atomic_site_id : null }
      }),
    async proofFor(domain, signal) {
      const name = encodeURIComponent(domain)
      const path = `/check-can-host-domain/${client}/${name}`
      const answer = await ask(api, { path, signal }, z.object({ allowed: z.boolean() }))
      if (answer.allowed) return null
      return ask(api, { path: `/get-domain-verification-code/${client}/${name}`, signal }, text)
    },
    create: (order, signal) =>
      createOnce<Awaited<ReturnType<WpCloud['create']>>>(
        api,
        {
          async find() {
            const found = await find(order.domain, signal)
            if (found?.adminUser !== order.adminUser || found.adminEmail !== order.adminEmail) return null
            return { id: found.id, job: null }
          },
          async create() {
            const made = await ask(
              api,
              { method: 'POST', path: `/create-site/${client}`, form: formOf(order), signal },
              z.object({ job_id: numeral, atomic_site_id: numeral }),
            )
            return { id: made.atomic_site_id, job: made.job_id }
          },
        },
        signal,
      ),
    async jobState(job, signal) {
      const status = await ask(api, { path: `/job-status/${idOf(job)}`, signal }, jobStatus)
      const state = typeof status === 'string' ? status : status._status
      return state === 'success' ? 'done' : state === 'failure' ? 'failed' : 'running'
    },
    async remove(site, signal) {
      const request = { method: 'POST', path: `/delete-site/${client}/${idOf(site)}`, signal } as const
      const made = await nullIfMissing(ask(api, request, queued))
      return made && made.job_id
    },
  } satisfies Partial<WpCloud>
}

const pageSize = 100
const listed = z.array(
  z.object({ atomic_site_id: numeral, domain_name: text, _data: z.optional(z.nullable(z.string())) }),
)
const listedOf = ({ atomic_site_id: id, domain_name: domain }: z.infer<typeof listed>[number]) => ({ id, domain })

/** Whether a site's data say that it is WP Cloud's own. */
function isCanary(data: string | null | undefined): boolean {
  const parsed = parseJson(data ?? '')
  const v1 = isObject(parsed) ? parsed['v1'] : null
  return isObject(v1) && v1['site_type'] === 'canary'
}

/** The state alone in former versions of the API. */
const jobStatus = z.union([text, z.object({ _status: text })])

const formOf = ({ domain, adminUser, adminEmail, adminPassword, phpVersion, place, spaceGb }: WpCloudOrder) => ({
  domain_name: domain,
  admin_user: adminUser,
  admin_email: adminEmail,
  admin_pass: adminPassword,
  space_quota: `${spaceGb}G`,
  ...(phpVersion !== null && { php_version: phpVersion }),
  ...(place !== null && { geo_affinity: place }),
})

function settings(api: VendorApi, client: string) {
  const meta = (site: string, name: string, action: string) => `/site-meta/${idOf(site)}/${name}/${action}`
  const alias = (site: string, action: string) => `/site-alias/${client}/${idOf(site)}/${action}`
  const domains = z.object({ domains: z.array(text) })
  return {
    async setting(site, name, signal) {
      const found = await nullIfMissing(ask(api, { path: meta(site, name, 'get'), signal }, anything))
      return typeof found === 'number' || (typeof found === 'string' && found !== '') ? String(found) : null
    },
    async set(site, name, value, signal) {
      const path = meta(site, name, 'update')
      await ask(api, { method: 'POST', path, form: { value }, tries: 5, signal }, anything)
    },
    async unset(site, name, signal) {
      await nullIfMissing(ask(api, { path: meta(site, name, 'remove'), signal }, anything))
    },
    aliases: async (site, signal) => (await ask(api, { path: alias(site, 'list'), signal }, domains)).domains,
    async addAlias(site, domain, signal) {
      await ask(api, { path: `${alias(site, 'add')}/${encodeURIComponent(domain)}`, signal }, anything)
    },
    async removeAlias(site, domain, signal) {
      const path = `${alias(site, 'remove')}/${encodeURIComponent(domain)}`
      await nullIfMissing(ask(api, { path, signal }, anything))
    },
    async changeDomain(site, domain, signal) {
      const path = `/update-site-domain/${client}/${idOf(site)}/${encodeURIComponent(domain)}/keep`
      return (await ask(api, { method: 'POST', path, signal }, queued)).job_id
    },
  } satisfies Partial<WpCloud>
}

function traffic(api: VendorApi) {
  const cache = (site: string, what: string) => `/edge-cache/${idOf(site)}/${what}`
  return {
    async purgeCache(site, signal) {
      await ask(api, { method: 'POST', path: cache(site, 'purge'), tries: 5, signal }, anything)
    },
    async defendUntil(site, seconds, signal) {
      const form = { timestamp: String(seconds) }
      await ask(api, { method: 'POST', path: cache(site, 'ddos_until'), form, tries: 5, signal }, anything)
    },
    async defendedUntil(site, signal) {
      const found = await nullIfMissing(ask(api, { path: cache(site, 'ddos_until'), signal }, anything))
      const value = typeof found === 'object' && found !== null ? Reflect.get(found, 'ddos_until') : found
      return Number.isSafeInteger(Number(value)) ? Number(value) : 0
    },
  } satisfies Partial<WpCloud>
}

const phpDetails = z.object({
  default: z.optional(z.union([z.boolean(), z.number(), text])),
  until: optional,
})
/** By version with details, or the versions alone. */
const phpList = z.union([z.array(text), z.record(text, z.union([phpDetails, text]))])

function phpOf(found: z.infer<typeof phpList>): WpCloudPhp[] {
  if (Array.isArray(found)) return found.map((version) => ({ version, isDefault: false, until: null }))
  // One entry can name the default instead of being a version.
  const standard = typeof found['default'] === 'string' ? found['default'] : null
  return Object.entries(found).flatMap(([version, details]) => {
    if (!/^\d+\.\d+$/.test(version)) return []
    const known = typeof details === 'string' ? {} : details
    const isDefault = version === standard || known.default === true || known.default === 1
    return [{ version, isDefault, until: known.until ?? null }]
  })
}

/** Whether WP Cloud refused because of the quota of backups on demand. */
export const isBackupQuota = (error: unknown): boolean =>
  error instanceof ProviderError && error.status === 403 && error.kind === 'wrong_scope'
