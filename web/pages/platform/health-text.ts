import type { Health } from '#shared/responses/health.ts'
import { formatAbsolute, formatBytes, formatClock, formatDuration, formatNumber } from '#web/lib/i18n/format.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'

/** How long something has been waiting; a dash for nothing. */
export function formatAge(seconds: number | null): string {
  return seconds === null ? t('common.none') : formatDuration(seconds)
}

/** Whether site thumbnails are taken, why not, and when a failed browser start is retried. */
export function screenshotsText(screenshots: Health['pictures']): string {
  if (screenshots === null) return t('health.no_sites_here')
  const { state, next_try: next } = screenshots
  const label = t(`health.screenshots_${state}`)
  return next === null ? label : t('health.screenshots_again', { state: label, time: formatClock(next) })
}

/** The WordPress version for new sites; if it isn't the newest, also why. */
export function wordpressText(cache: Health['wordpress_cache']): string {
  if (cache === null) return t('health.no_sites_here')
  const [version] = cache.versions
  if (version === undefined) return t('health.wordpress_none')
  if (!cache.fallback)
    return cache.last_failed && cache.last_try !== null
      ? t('health.wordpress_unchecked', { version, time: formatAbsolute(cache.last_try) })
      : version
  return cache.last_try === null
    ? t('health.wordpress_fallback', { version })
    : t('health.wordpress_fallback_tried', { version, time: formatAbsolute(cache.last_try) })
}

/** What new sites lack: WordPress, the newest one, or certainty that theirs is the newest. */
function missingWordPress(cache: Health['wordpress_cache']): string[] {
  if (cache === null) return []
  if (cache.fallback || (cache.versions.length === 0 && cache.last_try !== null)) return [t('health.without_wordpress')]
  return cache.last_failed ? [t('health.without_wordpress_org')] : []
}

const parts = ['database', 'migrations', 'disk', 'queue', 'mail', 'payments'] as const

/** Summary cards of the page: health, work and space. */
export function healthSummary(health: Health | undefined): readonly SummaryCard[] {
  const labels = [t('health.well_q'), t('health.work_q'), t('health.room_q')] as const
  if (!health) return labels.map((label) => ({ label, value: null }))
  const unhealthy = parts.filter((part) => health[part]?.ok === false).map((part) => t(`health.part_${part}`))
  const { queue, disk } = health
  const limited = [...(health.mail.smtp ? [] : [t('health.without_mail')]), ...missingWordPress(health.wordpress_cache)]
  return [
    {
      label: labels[0],
      value:
        unhealthy.length > 0
          ? t('health.unhealthy', { parts: unhealthy.join(', ') })
          : limited.length > 0
            ? t('health.limited', { parts: limited.join(', ') })
            : t('health.healthy'),
      detail: t('health.running_for', { version: health.version, time: formatDuration(health.uptime_seconds) }),
      tone: unhealthy.length > 0 ? 'bad' : limited.length > 0 ? 'warn' : 'ok',
    },
    {
      label: labels[1],
      value:
        queue.lost_contact > 0
          ? t('health.work_lost', { count: queue.lost_contact })
          : queue.queued + queue.running === 0
            ? t('health.work_idle')
            : t('health.work', { running: formatNumber(queue.running), queued: formatNumber(queue.queued) }),
      detail:
        queue.oldest_queued_seconds === null
          ? ''
          : t('health.work_oldest', { time: formatAge(queue.oldest_queued_seconds) }),
      tone: queue.ok ? 'ok' : 'bad',
    },
    {
      label: labels[2],
      value:
        disk.free_bytes === null ? t('health.room_unknown') : t('health.room', { free: formatBytes(disk.free_bytes) }),
      detail: disk.total_bytes === null ? '' : t('health.room_of', { total: formatBytes(disk.total_bytes) }),
      tone: disk.ok ? 'ok' : 'bad',
    },
  ]
}
