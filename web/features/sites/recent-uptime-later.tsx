import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { dataClient } from '#web/lib/api/data-client.ts'
import { firstReads } from '#web/lib/events/first-reads.ts'

/** Shows the last day of a site, once it is loaded. */
type Show = (site: string) => ReactNode

const RecentUptime = createContext<Show | null>(null)

/** Rows in it show their last day once the first reads are done: the list comes first, and its code does. */
export function RecentUptimeLater({ children }: { children: ReactNode }) {
  const [show, setShow] = useState<Show | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const load = async (): Promise<void> => {
      await firstReads(dataClient, left.signal)
      if (left.signal.aborted) return
      const { RecentUptime: Bars } = await import('./recent-uptime.tsx')
      setShow(() => (site: string) => <Bars site={site} />)
    }
    // Rows are complete without it; whatever else of this build can't be loaded says so.
    load().catch(() => undefined)
    return () => left.abort()
  }, [])
  return <RecentUptime value={show}>{children}</RecentUptime>
}

/** The last day of a site in a row, which is as high without it: its name has two lines. */
export function RecentUptimeCell({ site }: { site: string }) {
  return use(RecentUptime)?.(site) ?? null
}
