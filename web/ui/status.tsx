import { cx } from '#web/lib/browser/cx.ts'
import type { ReactNode } from 'react'
import { MarkShape, markColors } from './images/status-marks.tsx'

/** Meaning of a color. `none` means no status yet. Each tone has its own icon shape, so that color isn't required. */
export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'off' | 'none'

/** Text color of each tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  ok: 'text-ok',
  info: 'text-info',
  warn: 'text-warn',
  bad: 'text-bad',
  off: 'text-off',
  none: 'text-muted',
}

const markText: Readonly<Record<Tone, string>> = {
  ...markColors,
  off: 'text-m-off',
  none: 'text-m-off',
}

const tint: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-bg [--glyph-inner:var(--ok-bg)]',
  info: 'bg-info-bg [--glyph-inner:var(--info-bg)]',
  warn: 'bg-warn-bg [--glyph-inner:var(--warn-bg)]',
  bad: 'bg-bad-bg [--glyph-inner:var(--bad-bg)]',
  off: 'bg-off-bg [--glyph-inner:var(--off-bg)]',
  none: '',
}

function shape(tone: Tone, busy: boolean): ReactNode {
  const ring = { cx: 8, cy: 8, r: 6.2, fill: 'none', stroke: 'currentColor' } as const
  if (busy) {
    return (
      <>
        <circle {...ring} strokeWidth="1.8" opacity=".28" />
        <path
          d="M8 1.8A6.2 6.2 0 0 1 14.2 8"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
        />
      </>
    )
  }
  if (tone === 'off')
    return (
      <>
        <circle {...ring} strokeWidth="1.6" />
        <path d="M5.6 8h4.8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      </>
    )
  if (tone === 'none') return <circle {...ring} strokeWidth="1.6" strokeDasharray="2.2 2.67" />
  return <MarkShape tone={tone} />
}

/** Small icon of a tone, always next to text and therefore hidden from screen readers. `busy` makes it spin. */
export function StatusIcon({
  tone,
  busy = false,
  size = 16,
  className,
}: {
  tone: Tone
  busy?: boolean
  size?: number
  className?: string
}) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={cx('block flex-none', markText[tone], busy && 'spin', className)}
    >
      {shape(tone, busy)}
    </svg>
  )
}

/**
 * Icon and text. Normal states are plain; others get a tint and are shifted 6 px to the left, so that icons align in a
 * column. `inset` keeps the pill inside its box.
 */
export function StatusPill({
  tone,
  busy = false,
  inset = false,
  children,
}: {
  tone: Tone
  busy?: boolean
  inset?: boolean
  children: ReactNode
}) {
  const quiet = tone === 'ok' || tone === 'none'
  return (
    <span
      data-tone={tone}
      className={cx(
        'inline-flex items-center gap-1.5 whitespace-nowrap align-middle text-table font-medium',
        tone === 'none'
          ? 'text-muted'
          : quiet
            ? 'text-fg'
            : ['h-6 rounded-full pr-2 pl-1.5', !inset && '-ml-1.5', toneText[tone], tint[tone]],
      )}
    >
      <StatusIcon tone={tone} busy={busy} size={14} />
      {children}
    </span>
  )
}
