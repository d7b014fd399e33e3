import type { ReactNode } from 'react'
import type { Recent } from '#web/lib/routing/recent.ts'

/** A search result: a page to open or an action to run. */
export interface Option {
  /** Unique in the panel. */
  id: string
  icon: ReactNode
  title: string
  /** Secondary text next to the title. */
  detail?: string | null
  /** At the end of the line. */
  aside?: ReactNode
  /** Target: below /web, or an absolute URL with `newTab`. */
  href?: string
  newTab?: boolean
  /** Visit to store. */
  visit?: Recent
  run?: () => void
}

/** A labeled group of results. */
export interface Group {
  key: 'actions' | 'recent' | 'pages' | 'sites' | 'servers' | 'users'
  label: string
  options: readonly Option[]
}
