import { cx } from '#web/lib/browser/cx.ts'

/** A spinner. Decorative: say what is loading next to it. */
export function Spinner({ className }: { className?: string }) {
  return (
    <svg className={cx('spin shrink-0', className ?? 'size-4')} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <circle cx="8" cy="8" r="6.2" stroke="currentColor" strokeWidth="1.8" opacity=".28" />
      <path d="M8 1.8A6.2 6.2 0 0 1 14.2 8" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  )
}
