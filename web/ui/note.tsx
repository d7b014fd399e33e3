import type { ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { Glyph, type Tone } from './status.tsx'

const backgrounds: Readonly<Partial<Record<Tone, string>>> = {
  bad: 'bg-bad-bg [--glyph-inner:var(--bad-bg)]', warn: 'bg-warn-bg [--glyph-inner:var(--warn-bg)]', off: 'bg-sunken', ok: 'bg-ok-bg [--glyph-inner:var(--ok-bg)]',
}

/** A tinted line or two that says how something stands. `urgent` is read out at once. */
export function Note({ tone, title, urgent = false, children }: { tone: Tone; title: ReactNode; urgent?: boolean; children?: ReactNode }) {
  return (
    <div role={urgent ? 'alert' : undefined} className={cx('flex items-start gap-2 rounded-card p-3 text-table', backgrounds[tone] ?? 'bg-info-bg [--glyph-inner:var(--info-bg)]')}>
      <Glyph tone={tone} className="mt-px" />
      <div className="grid min-w-0 flex-1 gap-1 wrap-anywhere">
        <p className="font-semibold">{title}</p>
        {children}
      </div>
    </div>
  )
}
