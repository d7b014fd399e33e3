import { cx } from '#web/lib/browser/cx.ts'
import type { ReactNode } from 'react'

/** The modifier of chords on this keyboard. */
export const modifierKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'

/** A key as this keyboard labels it. */
export const keyLabel = (key: string): string => (key === 'Ctrl' ? modifierKey : key)

/** A key on the keyboard. */
export function Kbd({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <kbd
      className={cx(
        'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-xs border border-border bg-surface px-1 font-mono text-[11px] leading-4 font-medium text-muted',
        className,
      )}
    >
      {children}
    </kbd>
  )
}
