import { useId, type ReactNode } from 'react'

/** A section of a long form: title and hint on the left, controls on the right; stacked on phones. */
export function FormSection({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-[136px_minmax(0,1fr)] gap-6 border-t border-hairline py-5 first:border-t-0 first:pt-0 max-md:grid-cols-1 max-md:gap-2.5"
    >
      <div>
        <h2 id={id}>{title}</h2>
        {hint ? <p className="mt-1 text-meta text-muted">{hint}</p> : null}
      </div>
      <div className="grid min-w-0 content-start gap-4">{children}</div>
    </section>
  )
}
