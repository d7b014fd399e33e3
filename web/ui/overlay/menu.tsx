import type { ComponentProps } from 'react'
import { laterPart } from '../later-part.tsx'
import { LateTrigger } from './late-trigger.tsx'
import { layers } from './later-layers.ts'

const Layer = laterPart(layers, ({ Menu }) => Menu)
const closed = { 'aria-haspopup': 'menu', 'aria-expanded': false, 'data-state': 'closed' }

/** A button with a dropdown menu. Its trigger: one element that takes a ref and the props of a native button (Button, IconButton). */
export function Menu({ trigger, ...props }: ComponentProps<typeof Layer>) {
  return (
    <LateTrigger trigger={trigger} attributes={closed}>
      {(carrier) => <Layer {...props} trigger={carrier} />}
    </LateTrigger>
  )
}

/**
 * A menu item. `reason` turns it off, dims it and explains why; `href` (below /web) makes it a link. A reason that ends while the menu
 * is open keeps its place: otherwise the items below would move under the pointer, and another one be pressed.
 */
export const MenuItem = laterPart(layers, (module) => module.MenuItem)

/** An item that opens a menu of its own beside it; partly over it on a small screen, where both side by side have no room. */
export const MenuSub = laterPart(layers, (module) => module.MenuSub)

/** A separator between groups. */
export const MenuSeparator = laterPart(layers, (module) => module.MenuSeparator)
