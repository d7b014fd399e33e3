import * as Radix from 'radix-ui/tooltip'
import type { FocusEvent, ReactElement, ReactNode } from 'react'

/**
 * Must wrap everything with tooltips. The first tooltip opens after 700 ms, the next within 300 ms immediately
 * (docs/contracts/screens.md, section 9).
 */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  )
}

/** `onFocus` handler of a Radix trigger: opens only on keyboard focus, not on focus from a click or a closed dialog. */
export function openOnKeyboardFocusOnly(event: FocusEvent): void {
  if (!event.target.matches(':focus-visible')) event.preventDefault()
}

/** A tooltip on hover and keyboard focus. Must not be the only source of the information. */
export function Tooltip({
  content,
  side = 'bottom',
  children,
}: {
  content: ReactNode
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** One element that takes a ref and native props; it gets the description. */
  children: ReactElement
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={openOnKeyboardFocusOnly}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pop z-50 max-w-72 rounded-ctl bg-fg px-2 py-1 text-meta font-normal text-bg shadow-pop"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
