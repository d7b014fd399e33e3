import * as Radix from 'radix-ui/tooltip'
import type { FocusEvent, ReactElement, ReactNode } from 'react'

/** Around everything with tooltips. Specification section 9: the first waits 700 ms, the next within 300 ms does not. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  )
}

/** For `onFocus` of a Radix trigger: it opens by the keyboard's focus, not by one that a press or a closed dialog gave. */
export function keyboardOnly(event: FocusEvent): void {
  if (!event.target.matches(':focus-visible')) event.preventDefault()
}

/** A word about a control on hover and keyboard focus. Never the only place where something is said. */
export function Tooltip({
  content,
  side = 'bottom',
  children,
}: {
  content: ReactNode
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** One element that takes a ref and the props of a native one; it gets the description. */
  children: ReactElement
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={keyboardOnly}>
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
