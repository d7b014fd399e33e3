import { useEffect } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useUsageCounts } from './nav-entries.tsx'
import { usageState } from './usage-state.ts'
import { tShell } from '../messages.ts'

interface Line {
  label: string
  used: number
  limit: number
}

function UsageLine({ label, used, limit }: Line) {
  const state = usageState({ used, limit })
  return (
    <div className="grid gap-1">
      <div className="flex justify-between gap-2 text-meta">
        <span>{label}</span>
        <span
          className={cx(
            { quiet: 'text-muted', warn: 'font-medium text-warn', bad: 'font-medium text-bad' }[state.tone],
          )}
          title={limit > 0 ? tShell('shell.usage_of', { used, limit }) : undefined}
        >
          {state.text}
        </span>
      </div>
      {limit > 0 && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={tShell('shell.usage_of', { used, limit })}
          className="h-1 overflow-hidden rounded-full bg-track"
        >
          <div
            className={cx(
              'h-full rounded-full',
              { quiet: 'bg-m-fill', warn: 'bg-m-warn', bad: 'bg-m-bad' }[state.tone],
            )}
            style={{ width: `${state.percent}%` }}
          />
        </div>
      )}
    </div>
  )
}

/** Plan limits and usage, at the bottom of the sidebar. */
export function UsageMeter() {
  const { subscription, modules, refreshSubscription } = useSession()
  const { sites, servers } = useUsageCounts()
  const { ee } = modules
  const used = subscription?.usage
  // The plan is not refetched on focus (docs/contracts/screens.md, section 7), but when the counts change.
  useEffect(() => {
    const fits = (count: number | undefined, known: number | undefined) => count === undefined || count === known
    if (!fits(sites, used?.site) || (ee && !fits(servers, used?.server))) void refreshSubscription()
  }, [sites, servers, used, ee, refreshSubscription])
  if (!subscription?.plans_enabled) return null
  return (
    <section aria-label={tShell('shell.usage')} className="grid gap-3 rounded-card border border-border bg-surface p-3">
      <UsageLine label={tShell('shell.sites')} used={subscription.usage.site} limit={subscription.limits.site} />
      {modules.ee && (
        <UsageLine
          label={tShell('shell.servers')}
          used={subscription.usage.server}
          limit={subscription.limits.server}
        />
      )}
    </section>
  )
}
