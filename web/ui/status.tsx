import { cx } from '#web/lib/browser/cx.ts'
import type { ReactNode } from 'react'

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
  ok: 'text-m-ok',
  info: 'text-m-info',
  warn: 'text-m-warn',
  bad: 'text-m-bad',
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
  const inner = {
    stroke: 'var(--glyph-inner, var(--surface))',
    strokeWidth: 1.75,
    fill: 'none',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  } as const
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
  if (tone === 'ok')
    return (
      <>
        <circle cx="8" cy="8" r="7" fill="currentColor" />
        <path d="M5 8.3l2.1 2.1L11 6.2" {...inner} />
      </>
    )
  if (tone === 'info')
    return (
      <>
        <circle cx="8" cy="8" r="7" fill="currentColor" />
        <path d="M8 7.6v3.2M8 5.1v.1" {...inner} />
      </>
    )
  if (tone === 'warn') {
    return (
      <>
        <path
          d="M6.9 2.1a1.3 1.3 0 0 1 2.2 0l5.6 10a1.3 1.3 0 0 1-1.1 1.9H2.4a1.3 1.3 0 0 1-1.1-1.9z"
          fill="currentColor"
        />
        <path d="M8 6v3M8 11.4v.1" {...inner} />
      </>
    )
  }
  if (tone === 'bad')
    return (
      <>
        <path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z" fill="currentColor" />
        <path d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" {...inner} />
      </>
    )
  if (tone === 'off')
    return (
      <>
        <circle {...ring} strokeWidth="1.6" />
        <path d="M5.6 8h4.8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      </>
    )
  return <circle {...ring} strokeWidth="1.6" strokeDasharray="2.2 2.67" />
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
        quiet ? 'text-fg' : ['h-6 rounded-full pr-2 pl-1.5', !inset && '-ml-1.5', toneText[tone], tint[tone]],
      )}
    >
      <StatusIcon tone={tone} busy={busy} size={14} />
      {children}
    </span>
  )
}
