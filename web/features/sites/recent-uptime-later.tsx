import { createContext, use, useCallback, useState, type ReactNode } from 'react'
import { useLoadLater } from '#web/lib/events/use-load-later.ts'

/** Shows the last day of a site, once it is loaded. */
type Show = (site: string) => ReactNode

const RecentUptime = createContext<Show | null>(null)

/** Rows in it show their last day once the first reads are done: the list comes first, and its code does. */
export function RecentUptimeLater({ children }: { children: ReactNode }) {
  const [show, setShow] = useState<Show | null>(null)
  const load = useCallback(async () => {
    const { RecentUptime: Bars } = await import('./recent-uptime.tsx')
    setShow(() => (site: string) => <Bars site={site} />)
  }, [])
  useLoadLater(load)
  return <RecentUptime value={show}>{children}</RecentUptime>
}

/** The last day of a site in a row, which is as high without it: its name has two lines. */
export function RecentUptimeCell({ site }: { site: string }) {
  return use(RecentUptime)?.(site) ?? null
}
