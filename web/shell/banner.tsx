import { Suspense } from 'react'
import { fetched } from '#web/lib/code.ts'
import { formatClock } from '#web/lib/format.ts'
import { useOfflineSince } from '#web/lib/offline.ts'
import { useSession } from '#web/lib/session.tsx'
import { CodeBoundary } from '#web/ui/code-boundary.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { chooseBanner } from './banner-choice.ts'
import { bannerStyle } from './banner-style.ts'
import { words } from './messages.ts'
import { useConnectionWatch } from './use-connection-watch.ts'

// Seldom seen; the line for "offline" cannot wait for code.
const BannerText = fetched(() => import('./banner-text.tsx').then((module) => module.BannerText))

/** One line under the top bar, the most urgent there is: without a server, how old what one sees is. */
export function BannerLine() {
  const { subscription } = useSession()
  const outdated = useConnectionWatch()
  const banner = chooseBanner({ offlineSince: useOfflineSince(), subscription, outdated })
  return (
    <output className="block">
      {banner?.kind === 'offline' ? (
        <span className={bannerStyle('warn')}>
          <Spinner className="size-3.5" />
          {words('shell.reconnecting', { time: formatClock(new Date(banner.since)) })}
        </span>
      ) : (
        banner && (
          <CodeBoundary level="part">
            <Suspense fallback={null}>
              <BannerText banner={banner} />
            </Suspense>
          </CodeBoundary>
        )
      )}
    </output>
  )
}
