import type { ReactNode } from 'react'
import type { Recent } from '#web/lib/routing/recent.ts'

/** One line of the search: a place to go to or something to do. */
export interface Option {
  /** Unique in the panel. */
  id: string
  icon: ReactNode
  title: string
  /** Beside the title, quiet. */
  detail?: string | null
  /** At the end of the line. */
  aside?: ReactNode
  /** Where it leads: below /web, or an address of its own with `newTab`. */
  href?: string
  newTab?: boolean
  /** What to remember of a visit. */
  visit?: Recent
  /** Why it cannot be done now. */
  reason?: string | null
  run?: () => void
}

/** A named part of the list. */
export interface Group {
  key: 'actions' | 'recent' | 'pages' | 'sites' | 'servers' | 'users'
  label: string
  options: readonly Option[]
}
