import type { Site } from '#shared/doctypes/site.ts'
import { isStableVersion, compareVersions } from '#shared/rules/wordpress-versions.ts'
import { boot } from '#web/lib/session/boot.ts'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** The newest WordPress this installation knows, if a site's version is older; null otherwise. */
export function newerWordPress(version: string | null | undefined, newest = boot().wordpress_version): string | null {
  if (!version || !newest || !isStableVersion(version) || !isStableVersion(newest)) return null
  return compareVersions(version, newest) < 0 ? newest : null
}

type Installed = Partial<Pick<Site, 'wordpress_version' | 'engine'>>

/**
 * Why a site's WordPress is not the newest and what there is to do; null if it is, or if nobody knows. A version that came with
 * the packages is not, even where no newer one is known by its number. Sites on servers get theirs from elsewhere.
 */
export function oldWordPressText({ wordpress_version: version, engine }: Installed): string | null {
  const { wordpress_version: newest, wordpress_fallback: isFallback } = boot()
  if (!version) return null
  const newer = newerWordPress(version, newest)
  if (isFallback && engine === 'local' && (newer !== null || version === newest))
    return t('site.wordpress_fallback', { version })
  return newer === null ? null : t('site.wordpress_old', { version, newest: newer })
}

/**
 * In a list, below the name of a site with an older WordPress: why it is old and what there is to do, where the column with its
 * version is not shown or has no tooltip.
 */
export function OldWordPressLine({ site }: { site: Installed }) {
  const { wordpress_version: version } = site
  if (!version || oldWordPressText(site) === null) return null
  const newest = newerWordPress(version)
  return (
    <span className="flex max-w-80 items-start gap-1.5 xl:not-touch:hidden">
      <StatusIcon tone="warn" size={14} className="mt-px" />
      <span className="whitespace-normal">
        {newest === null ? t('sites.wordpress_not_newest', { version }) : t('sites.wordpress_old', { version, newest })}
      </span>
    </span>
  )
}

/** A site's WordPress version; an older one with a mark and with what there is to do. */
export function WordPressVersion({ site }: { site: Installed }) {
  const { wordpress_version: version } = site
  const text = oldWordPressText(site)
  if (text === null) return version
  return (
    <span title={text} className="inline-flex items-center gap-1.5 align-middle text-warn">
      <StatusIcon tone="warn" size={14} />
      {version}
      <span className="sr-only touch:hidden">{text}</span>
    </span>
  )
}
