import { cx } from '#web/lib/browser/cx.ts'
import type { ComponentProps } from 'react'

/** The modifier of chords on this keyboard. */
export const modifierKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** A key as this keyboard labels it. */
export const keyLabel = (key: string): string => (key === 'Ctrl' ? modifierKey : key)

/** A key on the keyboard. `filled`: on a button that has a color. */
export function Kbd({ filled = false, className, ...props }: ComponentProps<'kbd'> & { filled?: boolean }) {
  return (
    <kbd
      {...props}
      className={cx(
        'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border border-border bg-surface px-1 font-mono text-[11px] leading-4 font-medium text-muted',
        filled && 'border-[color-mix(in_oklab,currentColor_45%,transparent)]! bg-transparent! text-current!',
        className,
      )}
    />
  )
}
