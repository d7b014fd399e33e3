import type { ReactNode } from 'react'

/** A part of the settings of an organization. */
export function Section({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="grid gap-3 border-t border-hairline pt-5">
      <div>
        <h3 className="font-semibold">{title}</h3>
        <p className="text-table text-muted">{hint}</p>
      </div>
      {children}
    </section>
  )
}
