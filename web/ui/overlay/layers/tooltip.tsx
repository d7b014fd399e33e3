import * as Radix from 'radix-ui/tooltip'
import type { FocusEvent, ReactElement, ReactNode } from 'react'

/** `onFocus` handler of a Radix trigger: opens only on keyboard focus, not on focus from a click or a closed dialog. */
export function openOnKeyboardFocusOnly(event: FocusEvent): void {
  if (!event.target.matches(':focus-visible')) event.preventDefault()
}

/**
 * The tooltip of one trigger at a time. The first tooltip opens after 700 ms, the next within 300 ms immediately
 * (docs/contracts/screens.md, section 9).
 */
export function Tooltip({
  id,
  content,
  side,
  trigger,
}: {
  id: string
  content: ReactNode
  side: 'top' | 'right' | 'bottom' | 'left'
  trigger: ReactElement
}) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      <Radix.Root key={id}>
        <Radix.Trigger asChild onFocus={openOnKeyboardFocusOnly}>
          {trigger}
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
    </Radix.Provider>
  )
}
