import { cx } from '#web/lib/browser/cx.ts'

/** Style of the banner below the top bar. */
export function bannerStyle(tone: 'warn' | 'bad' | 'info'): string {
  return cx(
    'flex min-h-9 items-center gap-2 border-b px-6 py-2 text-table max-md:px-4',
    {
      warn: 'border-[color-mix(in_oklab,var(--m-warn)_40%,var(--warn-bg))] bg-warn-bg text-warn [--glyph-inner:var(--warn-bg)]',
      bad: 'border-[color-mix(in_oklab,var(--m-bad)_40%,var(--bad-bg))] bg-bad-bg text-bad [--glyph-inner:var(--bad-bg)]',
      info: 'border-[color-mix(in_oklab,var(--m-info)_40%,var(--info-bg))] bg-info-bg text-info [--glyph-inner:var(--info-bg)]',
    }[tone],
  )
}
