import type { ReactNode } from 'react'

/** Name of a group of choices, as a heading of the form's sections. */
export function Legend({ children }: { children: ReactNode }) {
  return <span className="text-body font-semibold">{children}</span>
}
