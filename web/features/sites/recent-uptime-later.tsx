import { createContext, use, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { dataClient } from '#web/lib/api/data-client.ts'
import { firstReads } from '#web/lib/events/first-reads.ts'

type Shown = ComponentType<{ site: string }>

const RecentUptime = createContext<Shown | null>(null)

/** Rows in it show their last day once the first reads are done: the list comes first, and its code does. */
export function RecentUptimeLater({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const load = async (): Promise<void> => {
      await firstReads(dataClient, left.signal)
      if (left.signal.aborted) return
      const module = await import('./recent-uptime.tsx')
      setShown(() => module.RecentUptime)
    }
    // Rows are complete without it; whatever else of this build can't be loaded says so.
    load().catch(() => undefined)
    return () => left.abort()
  }, [])
  return <RecentUptime value={shown}>{children}</RecentUptime>
}

/** The last day of a site in a row. Its place is kept, so that nothing moves when it comes. */
export function RecentUptimeCell({ site }: { site: string }) {
  const Shown = use(RecentUptime)
  return <span className="block h-4 text-meta text-muted max-md:hidden">{Shown ? <Shown site={site} /> : null}</span>
}
