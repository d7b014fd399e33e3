import { startTransition, Suspense, useState, type ReactNode } from 'react'
import { fetched } from '#web/lib/code.ts'
import { openWithCode } from '#web/lib/open-code.ts'
import { ColdTrigger, type TriggerElement } from './cold-trigger.tsx'

/** What a menu is given. */
export interface MenuProps {
  /** One element that takes a ref (Button, IconButton). */
  trigger: TriggerElement
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  width?: string
}

const loadPanel = () => import('./menu-panel.tsx')
const MenuPanel = fetched(() => loadPanel().then((module) => module.MenuPanel))

/** One entry of a menu. */
export const MenuItem = fetched(() => loadPanel().then((module) => module.MenuPanelItem))

/** A line between groups. */
export const MenuSeparator = fetched(() => loadPanel().then((module) => module.MenuPanelSeparator))

const needs = [MenuPanel, MenuItem, MenuSeparator]

/** A button with a menu under it. */
export function Menu(props: MenuProps) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'keyboard' | null>(null)
  const cold = (
    <ColdTrigger
      trigger={props.trigger}
      popup="menu"
      expanded={openedBy !== null}
      needs={needs}
      // As a transition: the button stays until the menu can be drawn.
      onOpen={(by) => void openWithCode(needs, () => startTransition(() => setOpenedBy(by)))}
    />
  )
  return <Suspense fallback={cold}>{openedBy ? <MenuPanel {...props} openedBy={openedBy} /> : cold}</Suspense>
}
