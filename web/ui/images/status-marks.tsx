import { cx } from '#web/lib/browser/cx.ts'

/** Tones of the small status icons; the full set is in `status.tsx`, which public pages don't load. */
export type StatusMarkTone = 'ok' | 'info' | 'warn' | 'bad'

/** Color of each tone's icon. */
export const markColors: Readonly<Record<StatusMarkTone, string>> = {
  ok: 'text-m-ok',
  info: 'text-m-info',
  warn: 'text-m-warn',
  bad: 'text-m-bad',
}

const shapes: Record<StatusMarkTone, { body: string; inner: string }> = {
  ok: { body: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z', inner: 'M5 8.3l2.1 2.1L11 6.2' },
  info: { body: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z', inner: 'M8 7.6v3.2M8 5.1v.1' },
  warn: {
    body: 'M6.9 2.1a1.3 1.3 0 0 1 2.2 0l5.6 10a1.3 1.3 0 0 1-1.1 1.9H2.4a1.3 1.3 0 0 1-1.1-1.9z',
    inner: 'M8 6v3M8 11.4v.1',
  },
  bad: { body: 'M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z', inner: 'M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4' },
}

/** Shape of a tone's icon, in a box of 16: filled in the text color, with its sign cut out. */
export function MarkShape({ tone }: { tone: StatusMarkTone }) {
  return (
    <>
      <path d={shapes[tone].body} fill="currentColor" />
      <path
        d={shapes[tone].inner}
        stroke="var(--glyph-inner, var(--surface))"
        strokeWidth="1.75"
        fill="none"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  )
}

/** Small icon of a tone, next to text; hidden from screen readers. */
export function StatusMark({
  tone,
  size = 16,
  className,
}: {
  tone: StatusMarkTone
  size?: number
  className?: string | undefined
}) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={cx('shrink-0', markColors[tone], className)}
    >
      <MarkShape tone={tone} />
    </svg>
  )
}
