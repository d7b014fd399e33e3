import type { ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { StatusMark } from './images/status-marks.tsx'

const boxes = {
  ok: 'bg-ok-bg [--glyph-inner:var(--ok-bg)]',
  info: 'bg-info-bg [--glyph-inner:var(--info-bg)]',
  warn: 'bg-warn-bg [--glyph-inner:var(--warn-bg)]',
  bad: 'bg-bad-bg [--glyph-inner:var(--bad-bg)]',
} as const

/** A tinted box with an important message. Errors are announced immediately. */
export function Notice({
  tone,
  title,
  children,
  className,
}: {
  tone: keyof typeof boxes
  title?: ReactNode
  children?: ReactNode
  className?: string
}) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={cx('flex items-start gap-2.5 rounded-card p-3 text-table', boxes[tone], className)}
    >
      <StatusMark tone={tone} className="mt-px" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
    </div>
  )
}
