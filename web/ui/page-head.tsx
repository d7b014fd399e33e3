import type { ReactNode } from 'react'

/** Header of a page: title, grey secondary text, actions at the end. */
export function PageHead({
  title,
  subtitle,
  children,
}: {
  title: ReactNode
  subtitle?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="mb-4 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-2">
      <h1 tabIndex={-1}>{title}</h1>
      {subtitle ? <span className="text-body text-muted">{subtitle}</span> : null}
      {children ? <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div> : null}
    </div>
  )
}

/**
 * The page's primary action, sticky at the lower edge on phones, within reach of the thumb. The one in the header is hidden
 * there.
 */
export function StickyAction({ children }: { children: ReactNode }) {
  return (
    <div
      data-low
      className="fixed inset-x-0 bottom-0 z-20 flex flex-wrap gap-y-1.5 border-t border-border bg-[color-mix(in_oklab,var(--bg)_94%,transparent)] px-4 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] backdrop-blur-sm md:hidden [&>*]:flex-1"
    >
      {children}
    </div>
  )
}
