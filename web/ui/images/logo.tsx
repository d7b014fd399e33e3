import { cx } from '#web/lib/browser/cx.ts'

/** The product's logo. Decorative next to the name. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg className={cx('shrink-0', className ?? 'size-7')} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--fg)" />
      <path d="M7 7.5h10M7 16.5h10" stroke="var(--bg)" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M7 12h6" stroke="oklch(.66 .17 268)" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  )
}
