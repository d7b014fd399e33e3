import { siteTypeLabels, type Site } from '#shared/doctypes/site.ts'
import { isBusyStatus, statusLabel } from '#web/documents/values/status-tones.ts'
import { checkGraceSeconds, siteCheckSeconds } from '#shared/rules/site-check.ts'
import { formatDuration } from '#web/lib/i18n/format.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'
import { formatDiskUsage, isUnpacked } from './storage-details.ts'

/** A site's software and version: "WordPress 6.9", "HTML". */
export function softwareText(site: Pick<Site, 'site_type' | 'wordpress_version'>): string {
  const kind = siteTypeLabels[site.site_type]
  return site.site_type === 'wp' && site.wordpress_version ? `${kind} ${site.wordpress_version}` : kind
}

/** A site's software and its PHP, each with its version. */
export function versionTexts(
  site: Pick<Site, 'site_type' | 'wordpress_version' | 'php_version'>,
): [string, ...string[]] {
  return [softwareText(site), ...(site.site_type === 'html' ? [] : [`PHP ${site.php_version ?? ''}`])]
}

/** A response time: in milliseconds below a second, then in seconds. */
function durationText(ms: number): string {
  return ms < 1000 ? t('site.ms', { ms: Math.round(ms) }) : formatDuration(ms / 1000)
}

/** Whether a live site that does not sleep should have been checked again, for at least `graceSeconds`. */
export function isCheckDue(
  { status, health, health_checked_at: checked }: Pick<Site, 'status' | 'health' | 'health_checked_at'>,
  now: number,
  graceSeconds = 0,
): boolean {
  const at = parseTime(checked)
  const isChecked = status === 'Live' && (health === 'Up' || health === 'Slow' || health === 'Down')
  return isChecked && at !== null && now - at.getTime() > (siteCheckSeconds + graceSeconds) * 1000
}

function upSummary(site: Site, now: number): Pick<SummaryCard, 'value' | 'tone' | 'busy' | 'detail'> {
  const status = site.status ?? 'Setting Up'
  if (status !== 'Live') {
    return {
      value: isBusyStatus('Site', status)
        ? t('site.busy', { status: statusLabel('Site', 'status', status) })
        : status === 'Failed'
          ? t('site.setup_failed')
          : statusLabel('Site', 'status', status),
      tone:
        status === 'Failed' ? 'bad' : status === 'Suspended' ? 'warn' : isBusyStatus('Site', status) ? 'info' : 'off',
      busy: isBusyStatus('Site', status),
    }
  }
  const checked = site.health_checked_at
  const text = (key: 'site.checked' | 'site.checked_late' | 'site.checked_once' | 'site.asleep_detail') =>
    checked ? { value: checked, format: (when: string) => t(key, { when }) } : undefined
  if (site.health === 'Asleep')
    return { value: t('site.asleep'), tone: 'off', detail: text('site.asleep_detail') ?? t('site.asleep_unchecked') }
  const isLate = isCheckDue(site, now, checkGraceSeconds)
  const detail = text(isLate ? 'site.checked_late' : 'site.checked')
  const took = site.response_ms === null || site.response_ms === undefined ? null : durationText(site.response_ms)
  if (site.health === 'Up')
    return { value: took === null ? t('site.up_plain') : t('site.up', { took }), tone: 'ok', detail }
  if (site.health === 'Slow')
    return { value: took === null ? t('site.slow_plain') : t('site.slow', { took }), tone: 'warn', detail }
  // A site that went to sleep with its problem is not checked until its next visit, so its check may not be late.
  if (site.health === 'Down')
    return { value: t('site.down'), tone: 'bad', detail: text(isLate ? 'site.checked_once' : 'site.checked') }
  return { value: t('site.unchecked'), tone: 'none', detail: t('site.unchecked_detail') }
}

function runsSummary(site: Site): Pick<SummaryCard, 'value' | 'detail'> {
  const texts = versionTexts(site)
  if (!isUnpacked(site)) return { value: t('site.runs_nothing'), detail: texts.join(', ') }
  return { value: texts[0], detail: texts[1] }
}

/**
 * Summary cards of a site's page. `server`: its title (undefined while it is loading, null if the user can't see the server), and
 * its page for those who have one; `now` in milliseconds since 1970.
 */
export function siteSummary(
  site: Site,
  server: { title: string | null | undefined; href?: string | undefined },
  now: number,
): SummaryCard[] {
  const disk = formatDiskUsage(site)
  const size = disk === null ? t('site.disk_unknown') : t('site.disk_used', { bytes: disk })
  return [
    { label: t('site.up_q'), ...upSummary(site, now) },
    { label: t('site.runs_q'), ...runsSummary(site) },
    {
      label: t('site.files_q'),
      value:
        site.status === 'Archived'
          ? t('site.files_archive')
          : server.title === undefined
            ? null
            : server.title === null
              ? isUnpacked(site)
                ? size
                : statusLabel('Site', 'status', site.status ?? '')
              : t('site.on_server', { server: server.title }),
      href: server.title ? server.href : undefined,
      // What was measured before it was packed is not its size now.
      detail: isUnpacked(site) && server.title !== null ? size : undefined,
    },
  ]
}

/** How many days an archived site can be restored. */
const archiveDays = 30

/** When the archive of a site expires; null if unknown. */
export function archiveEnds(archivedAt: Date | null): Date | null {
  return archivedAt ? new Date(archivedAt.getTime() + archiveDays * 86_400_000) : null
}
