import { siteName } from '#shared/rules/display-name.ts'
import { brokenServerStatuses, unhealthyServerStatuses, type Server } from '#shared/doctypes/server.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { sitesDown, sitesFailed } from '#shared/rules/site-attention.ts'
import { suspended } from './dashboard-lists.ts'
import { t } from './messages.ts'

/** A site or server that needs attention. */
export interface AttentionItem {
  readonly key: string
  readonly tone: 'bad' | 'warn'
  readonly title: string
  readonly reason: string
  /** Language of the reason if it isn't the user's, as for stored messages. */
  readonly reasonLang?: 'en' | undefined
  /** Path of the document's page. */
  readonly href: string
  /** Stored time of its start, if known. Among equals, older items rank higher. */
  readonly since: string | null
  /** The site whose failed job can be retried. */
  readonly retrySite: string | null
  /** What may bring the site back, for those who may do it. */
  readonly help: { readonly site: AttentionSite; readonly action: 'restart' | 'resume' } | null
  /** The server that can be measured again, which also checks whether it is back. */
  readonly measure: AttentionServer | null
}

/** The fields of a site needed here. */
export type AttentionSite = Pick<
  Site,
  | 'name'
  | 'owner'
  | 'server'
  | 'locked_by_job'
  | 'suspended_at'
  | 'domain'
  | 'title'
  | 'status'
  | 'health'
  | 'failure_reason'
  | 'failure_reason_i18n'
  | 'modified'
  | 'failure_since'
  | 'wordpress_checksum'
  | 'wordpress_health'
  | 'wordpress_problem'
>
/** The fields of a server needed here. */
export type AttentionServer = Pick<Server, 'name' | 'owner' | 'hostname' | 'status' | 'modified' | 'locked_by_job'> &
  Partial<Pick<Server, 'disk' | 'disk_free' | 'failure_reason' | 'failure_reason_i18n' | 'failure_since'>>

/** The fields of a site at WP Cloud needed here. */
export type AttentionWpcSite = Pick<
  WpcSite,
  'name' | 'domain' | 'status' | 'failure_reason' | 'failure_reason_i18n' | 'failure_since' | 'modified'
>

/** Threshold for a full disk; the bars turn red here too. */
const fullFrom = 0.9

/** Usage of a server's disk, 0 to 1, if it needs attention; otherwise null. */
export function criticalDiskUsage({
  disk,
  disk_free: free,
}: Pick<AttentionServer, 'disk' | 'disk_free'>): number | null {
  if (typeof disk !== 'number' || typeof free !== 'number' || disk <= 0) return null
  const used = 1 - free / disk
  return used >= fullFrom ? Math.min(1, used) : null
}

function reasonOf(
  site: Partial<Pick<Site, 'failure_reason' | 'failure_reason_i18n'>>,
  unknown: string,
): Pick<AttentionItem, 'reason' | 'reasonLang'> {
  if (!site.failure_reason) return { reason: unknown }
  const { text, lang } = localizedText(site.failure_reason, site.failure_reason_i18n ?? null)
  return { reason: text, reasonLang: lang }
}

function ofSite(site: AttentionSite): AttentionItem | null {
  const base = {
    key: `site ${site.name}`,
    href: `/site/${encodeURIComponent(site.name)}`,
    since: sinceOf(site),
    retrySite: null,
    help: null,
    measure: null,
  }
  if (site.status === 'Failed') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_failed', { title: siteName(site) }),
      ...reasonOf(site, t('dashboard.no_reason')),
      retrySite: site.name,
    }
  }
  if (site.status === 'Live' && site.health === 'Down') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_down', { title: siteName(site) }),
      ...reasonOf(site, t('dashboard.down_reason')),
      help: { site, action: 'restart' },
    }
  }
  if (site.status === 'Live' && site.wordpress_checksum === 'Modified') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_modified', { title: siteName(site) }),
      reason: t('dashboard.modified_reason'),
      href: `${base.href}#wordpress`,
    }
  }
  if (site.status === 'Suspended') {
    return {
      ...base,
      tone: 'warn',
      title: t('dashboard.site_suspended', { title: siteName(site) }),
      ...reasonOf(site, t('dashboard.no_reason')),
      // One that its quota stopped starts again by itself.
      help: site.suspended_at ? { site, action: 'resume' } : null,
    }
  }
  if (site.status === 'Live' && site.wordpress_health === 'Needs Attention') {
    const problem = site.wordpress_problem ?? null
    return {
      ...base,
      tone: 'warn',
      title: t('dashboard.site_unwell', { title: siteName(site) }),
      reason: problem === null ? t('dashboard.no_reason') : t(`dashboard.unwell_${problem}`),
      href: `${base.href}#wordpress`,
    }
  }
  return null
}

/** Since when a site has its problem. Older rows have only the time of their last change. */
const sinceOf = ({ failure_since, modified }: AttentionSite): string => failure_since ?? modified

/** Problems that sites can have in common: filters of these sites, and the title and default reason of their item. */
const groups = {
  failed: { filters: sitesFailed, title: 'dashboard.sites_failed', tone: 'bad' },
  down: { filters: sitesDown, title: 'dashboard.broken_down', tone: 'bad' },
  suspended: { filters: suspended, title: 'dashboard.broken_suspended', tone: 'warn' },
} as const
type Problem = keyof typeof groups

/** How many sites have a problem, by its reason. */
export type ReasonCounts = Readonly<Record<Problem, ReadonlyMap<string, number>>>

/** What the site has in common with others of the same reason; null if its item is always its own. */
function commonProblem({ status, health, failure_reason: reason }: AttentionSite): Problem | null {
  if (!reason) return null
  if (status === 'Failed') return 'failed'
  if (status === 'Suspended') return 'suspended'
  return status === 'Live' && health === 'Down' ? 'down' : null
}

/**
 * Sites with the same problem for the same reason, as one item since the first of them: all of them, also those that were not
 * read. Its link lists exactly these.
 */
function ofGroup(problem: Problem, group: readonly AttentionSite[], counts: ReasonCounts): AttentionItem | null {
  const [first] = group.toSorted((a, b) => sinceOf(a).localeCompare(sinceOf(b))) as [AttentionSite]
  const { filters, title, tone } = groups[problem]
  const reason = first.failure_reason ?? ''
  const count = Math.max(group.length, counts[problem].get(reason) ?? 0)
  if (count === 1) return ofSite(first)
  return {
    key: `sites ${first.name}`,
    tone,
    title: t(title, { count }),
    ...reasonOf(first, reason),
    href: listHref('/site', [...filters, ['failure_reason', '=', reason]]),
    since: sinceOf(first),
    retrySite: null,
    help: null,
    measure: null,
  }
}

function ofServer(server: AttentionServer): AttentionItem | null {
  const status = server.status ?? ''
  const base = {
    key: `server ${server.name}`,
    href: `/server/${encodeURIComponent(server.name)}`,
    since: server.modified,
    retrySite: null,
    help: null,
    measure: server,
  }
  if (unhealthyServerStatuses.some((unhealthy) => unhealthy === status)) {
    return {
      ...base,
      tone: status === 'Degraded' ? 'warn' : 'bad',
      title: t('dashboard.server_bad', {
        title: server.hostname,
        status: statusLabel('Server', 'status', status).toLowerCase(),
      }),
      since: server.failure_since ?? server.modified,
      ...reasonOf(server, ''),
    }
  }
  const full = criticalDiskUsage(server)
  if (full === null) return null
  return {
    ...base,
    tone: full >= 0.95 ? 'bad' : 'warn',
    title: t('dashboard.server_full', { title: server.hostname, percent: formatPercent(full * 100) }),
    reason: t('dashboard.full_reason', { free: formatBytes(server.disk_free) }),
    // The start is unknown.
    since: null,
  }
}

function ofWpcSite(site: AttentionWpcSite): AttentionItem {
  const isFailed = site.status === 'Failed'
  return {
    key: `site ${site.name}`,
    tone: isFailed ? 'bad' : 'warn',
    title: t(isFailed ? 'dashboard.site_failed' : 'dashboard.site_suspended', { title: site.domain }),
    ...reasonOf(site, t('dashboard.no_reason')),
    href: `/site/${encodeURIComponent(site.name)}`,
    since: site.failure_since ?? site.modified,
    retrySite: null,
    help: null,
    measure: null,
  }
}

/**
 * Items that need attention: worst first, then oldest first. Servers come before their sites; sites with the same problem for the
 * same reason are one item.
 */
export function attentionItems(
  sites: readonly AttentionSite[],
  servers: readonly AttentionServer[],
  counts: ReasonCounts,
  wpcSites: readonly AttentionWpcSite[] = [],
): AttentionItem[] {
  const alike = Map.groupBy(sites, (site) => {
    const problem = commonProblem(site)
    return problem ? `${problem} ${site.failure_reason}` : site
  })
  // No job reaches the sites of these.
  const away = servers.filter(({ status }) => brokenServerStatuses.some((broken) => broken === status))
  const ofSites = [...alike.values()].flatMap((group) => {
    const problem = group[0] && commonProblem(group[0])
    return problem ? [ofGroup(problem, group, counts)] : group.map(ofSite)
  })
  const items = [...servers.map(ofServer), ...ofSites, ...wpcSites.map(ofWpcSite)]
    .filter((item) => item !== null)
    .map((item) => (away.some(({ name }) => name === item.help?.site.server) ? { ...item, help: null } : item))
  const rank = (item: AttentionItem) => (item.tone === 'bad' ? 0 : 1)
  return items.toSorted((a, b) => rank(a) - rank(b) || (a.since ?? '').localeCompare(b.since ?? ''))
}
