import { CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { ErrorGlyph } from './field.tsx'

const looks = {
  ok: { box: 'bg-ok-bg', icon: <CircleCheck size={16} strokeWidth={1.75} className="text-m-ok" /> },
  info: { box: 'bg-info-bg', icon: <Info size={16} strokeWidth={1.75} className="text-m-info" /> },
  warn: { box: 'bg-warn-bg', icon: <TriangleAlert size={16} strokeWidth={1.75} className="text-m-warn" /> },
  bad: { box: 'bg-bad-bg', icon: <ErrorGlyph className="size-4" /> },
} as const

/** A tinted box with a sentence that matters here. Failures are read out at once. */
export function Notice({
  tone,
  title,
  children,
  className,
}: {
  tone: keyof typeof looks
  title?: ReactNode
  children?: ReactNode
  className?: string
}) {
  const look = looks[tone]
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={cx('flex items-start gap-2.5 rounded-card p-3 text-table', look.box, className)}
    >
      <span className="mt-px shrink-0">{look.icon}</span>
      <div className="min-w-0 flex-1 wrap-anywhere">
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
    </div>
  )
}
