import * as Radix from 'radix-ui/tabs'
import { Suspense, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { LazyBoundary } from './lazy-boundary.tsx'
import { Skeleton } from './skeleton.tsx'
import { useOpenInView } from './use-open-in-view.ts'

/** A tab; `id` is its hash. */
export interface Tab {
  id: string
  label: ReactNode
}

/** ID of a tab's panel. */
export const tabPanelId = (id: string): string => `panel-${id}`
const tabId = (id: string): string => `tab-${id}`

/** Tabs by the APG pattern with manual activation: arrows, Home and End move, Enter or Space opens. */
export function Tabs({
  label,
  tabs,
  current,
  onChange,
}: {
  label: string
  tabs: readonly Tab[]
  current: string
  onChange: (id: string) => void
}) {
  const list = useOpenInView('[aria-selected=true]', current)
  // No element of its own: the tour finds the header of a page right before its tabs.
  return (
    <Radix.Root asChild value={current} onValueChange={onChange} activationMode="manual">
      <Radix.List
        ref={list}
        aria-label={label}
        className="mb-4 flex gap-1 overflow-x-auto border-b border-border [scrollbar-width:none] max-md:-mx-4 max-md:px-4"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            id={tabId(tab.id)}
            // Only the panel of the open tab exists, and it is elsewhere on the page.
            aria-controls={tab.id === current ? tabPanelId(tab.id) : undefined}
            className={cx(
              'relative flex h-10 shrink-0 items-center gap-1.5 px-2.5 font-medium whitespace-nowrap first:-ml-2.5 focus-visible:-outline-offset-2 max-md:h-11',
              tab.id === current
                ? 'text-fg after:absolute after:inset-x-2.5 after:-bottom-px after:h-0.5 after:rounded-t-xs after:bg-brand'
                : 'text-muted hover:text-fg',
            )}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
    </Radix.Root>
  )
}

/** Panel of the open tab, whose code may be loaded lazily. */
export function TabPanel({ id, children, className }: { id: string; children: ReactNode; className?: string }) {
  return (
    <div
      id={tabPanelId(id)}
      role="tabpanel"
      aria-labelledby={tabId(id)}
      tabIndex={-1}
      className={cx('outline-none', className)}
    >
      <LazyBoundary level="part" at={id}>
        <Suspense fallback={<Skeleton className="h-64 w-full rounded-card" />}>{children}</Suspense>
      </LazyBoundary>
    </div>
  )
}
