import { formatClock } from '#web/lib/i18n/format.ts'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { useIsOutdated } from '#web/lib/api/newer-build.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { chooseBanner } from './banner-choice.ts'
import { bannerStyle } from './banner-style.ts'
import { BannerText } from './banner-text.tsx'
import { tShell } from '../messages.ts'
import { useConnectionWatch } from '../frame/use-connection-watch.ts'

/** The most urgent banner. While offline, it shows how old the data is. */
export function BannerLine() {
  const { subscription } = useSession()
  useConnectionWatch()
  const outdated = useIsOutdated()
  const banner = chooseBanner({ offlineSince: useOfflineSince(), subscription, outdated })
  return (
    <output className="block">
      {banner?.kind === 'offline' ? (
        <span className={bannerStyle('warn')}>
          <Spinner className="size-3.5" />
          {tShell('shell.reconnecting', { time: formatClock(new Date(banner.since)) })}
        </span>
      ) : (
        banner && <BannerText banner={banner} />
      )}
    </output>
  )
}
