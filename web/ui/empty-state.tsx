import type { ReactNode } from 'react'

/** Empty state: what goes here, and the one thing to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  page = false,
}: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  /** It is the whole page: the title is the page's heading and receives the focus. */
  page?: boolean
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {icon && (
        <span className="mb-3 grid size-10 place-items-center rounded-card border border-border bg-sunken text-muted">
          {icon}
        </span>
      )}
      {page ? <h1 className="text-lead">{title}</h1> : <p className="font-semibold">{title}</p>}
      {children && <div className="mt-1 max-w-sm text-table text-muted">{children}</div>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  )
}
