import { cloneElement, type ComponentProps, type ReactElement } from 'react'

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
  onNear,
  onOpen,
}: {
  trigger: TriggerElement
  popup: 'menu' | 'dialog'
  expanded: boolean
  /** The pointer or the focus is there: it may be opened next. */
  onNear: () => void
  onOpen: (by: 'pointer' | 'keyboard') => void
}) {
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
