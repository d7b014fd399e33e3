import { unhealthyServerStatuses, type Server } from '#shared/doctypes/server.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { down, failed } from './dashboard-lists.ts'
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
  /** The server that can be measured again, which also checks whether it is back. */
  readonly measure: AttentionServer | null
}

/** The fields of a site needed here. */
export type AttentionSite = Pick<
  Site,
  | 'name'
  | 'domain'
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
    measure: null,
  }
  if (site.status === 'Failed') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_failed', { title: site.domain }),
      ...reasonOf(site, t('dashboard.no_reason')),
      retrySite: site.name,
    }
  }
  if (site.status === 'Live' && site.health === 'Down') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_down', { title: site.domain }),
      ...reasonOf(site, t('dashboard.down_reason')),
      retrySite: null,
    }
  }
  if (site.status === 'Live' && site.wordpress_checksum === 'Modified') {
    return {
      ...base,
      tone: 'bad',
      title: t('dashboard.site_modified', { title: site.domain }),
      reason: t('dashboard.modified_reason'),
      retrySite: null,
    }
  }
  if (site.status === 'Suspended') {
    return {
      ...base,
      tone: 'warn',
      title: t('dashboard.site_suspended', { title: site.domain }),
      ...reasonOf(site, t('dashboard.no_reason')),
      retrySite: null,
    }
  }
  if (site.status === 'Live' && site.wordpress_health === 'Needs Attention') {
    const problem = site.wordpress_problem ?? null
    return {
      ...base,
      tone: 'warn',
      title: t('dashboard.site_unwell', { title: site.domain }),
      reason: problem === null ? t('dashboard.no_reason') : t(`dashboard.unwell_${problem}`),
      href: `${base.href}#wordpress`,
      retrySite: null,
    }
  }
  return null
}

/** Since when a site has its problem. Older rows have only the time of their last change. */
const sinceOf = ({ failure_since, modified }: AttentionSite): string => failure_since ?? modified

/** Problems that sites can have in common: filters of these sites, and the title and default reason of their item. */
const groups = {
  failed: { filters: failed, title: 'dashboard.sites_failed', unknown: 'dashboard.no_reason' },
  down: { filters: down, title: 'dashboard.broken_down', unknown: 'dashboard.down_reason' },
} as const

/** Key of the sites with the same problem for the same reason; null if the site's item is always its own. */
function groupKey({ status, health, failure_reason: reason }: AttentionSite): string | null {
  if (!reason) return null
  if (status === 'Failed') return `failed ${reason}`
  return status === 'Live' && health === 'Down' ? `down ${reason}` : null
}

/** Sites with the same problem for the same reason, as one item since the first of them; its link lists exactly these. */
function ofGroup(group: readonly AttentionSite[]): AttentionItem {
  const [first] = group.toSorted((a, b) => sinceOf(a).localeCompare(sinceOf(b))) as [AttentionSite]
  const { filters, title, unknown } = groups[first.status === 'Failed' ? 'failed' : 'down']
  return {
    key: `sites ${first.name}`,
    tone: 'bad',
    title: t(title, { count: group.length }),
    ...reasonOf(first, t(unknown)),
    href: listHref('/site', [...filters, ['domain', 'in', group.map(({ domain }) => domain)]]),
    since: sinceOf(first),
    retrySite: null,
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

/** Totals as counted by the server; the items above are only the first ones. */
export interface AttentionCounts {
  readonly down: number
  readonly failed: number
  readonly suspended: number
  /** Sites whose WordPress files differ from the official release. */
  readonly modified: number
  /** Sites whose WordPress needs attention, and nothing more urgent does. */
  readonly unwell: number
  /** Servers with problems, including a full disk. */
  readonly servers: number
}

/** Sum of all counts. */
export function attentionTotal(counts: AttentionCounts): number {
  return counts.down + counts.failed + counts.modified + counts.unwell + counts.suspended + counts.servers
}

/** The worst problem as a sentence, and the number of others. Null if nothing needs attention. */
export function worstProblem(counts: AttentionCounts): { text: string; tone: 'bad' | 'warn'; others: number } | null {
  const ranked = [
    ['down', 'bad'],
    ['failed', 'bad'],
    ['modified', 'bad'],
    ['servers', 'bad'],
    ['suspended', 'warn'],
    ['unwell', 'warn'],
  ] as const
  const worst = ranked.find(([kind]) => counts[kind] > 0)
  if (!worst) return null
  const [kind, tone] = worst
  const count = counts[kind]
  return { text: t(`dashboard.broken_${kind}`, { count }), tone, others: attentionTotal({ ...counts, [kind]: 0 }) }
}

/**
 * Items that need attention: worst first, then oldest first. Servers come before their sites; sites with the same problem for the
 * same reason are one item.
 */
export function attentionItems(sites: readonly AttentionSite[], servers: readonly AttentionServer[]): AttentionItem[] {
  const alike = Map.groupBy(sites, (site) => groupKey(site) ?? site)
  const ofSites = [...alike.values()].flatMap((group) => (group.length > 1 ? ofGroup(group) : group.map(ofSite)))
  const items = [...servers.map(ofServer), ...ofSites].filter((item) => item !== null)
  const rank = (item: AttentionItem) => (item.tone === 'bad' ? 0 : 1)
  return items.toSorted((a, b) => rank(a) - rank(b) || (a.since ?? '').localeCompare(b.since ?? ''))
}
