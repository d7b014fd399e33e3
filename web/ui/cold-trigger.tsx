import { cloneElement, type ComponentProps, type ReactElement } from 'react'
import type { Code } from '#web/lib/code.ts'

/** A button that opens something: takes a ref and the props of a native button. */
export type TriggerElement = ReactElement<ComponentProps<'button'>>

/**
 * The button of something that floats while its code (positioning, focus, collections) is not here yet: a list has one
 * in every row, and most are never pressed. Names and states are those of the real one; looking at it fetches the code.
 */
export function ColdTrigger({
  trigger,
  popup,
  expanded,
  needs,
  onOpen,
}: {
  trigger: TriggerElement
  popup: 'menu' | 'dialog'
  expanded: boolean
  /** What opening it needs; fetched as soon as the pointer or the focus is there. */
  needs: readonly Code<unknown>[]
  onOpen: (by: 'pointer' | 'keyboard') => void
}) {
  const onNear = (): void => {
    // Failing here means failing at the press, which says so.
    for (const code of needs) code.load().catch(() => undefined)
  }
  return cloneElement(trigger, {
    'aria-haspopup': popup,
    'aria-expanded': expanded,
    onPointerEnter: onNear,
    onFocus: onNear,
    onClick: () => onOpen('pointer'),
    onKeyDown: (event) => {
      if (event.key !== 'Enter' && event.key !== ' ' && event.key !== 'ArrowDown') return
      event.preventDefault()
      onOpen('keyboard')
    },
  })
}
