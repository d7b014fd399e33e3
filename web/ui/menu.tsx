import { lazy, startTransition, Suspense, useState, type ReactNode } from 'react'
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
const MenuPanel = lazy(() => loadPanel().then((module) => ({ default: module.MenuPanel })))

/** One entry of a menu. */
export const MenuItem = lazy(() => loadPanel().then((module) => ({ default: module.MenuPanelItem })))

/** A line between groups. */
export const MenuSeparator = lazy(() => loadPanel().then((module) => ({ default: module.MenuPanelSeparator })))

/** A button with a menu under it. */
export function Menu(props: MenuProps) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'keyboard' | null>(null)
  const cold = (
    <ColdTrigger
      trigger={props.trigger}
      popup="menu"
      expanded={openedBy !== null}
      // Failing here means failing at the press, which says so.
      onNear={() => void loadPanel().catch(() => undefined)}
      // As a transition: the button stays until the menu's code is here.
      onOpen={(by) => startTransition(() => setOpenedBy(by))}
    />
  )
  return <Suspense fallback={cold}>{openedBy ? <MenuPanel {...props} openedBy={openedBy} /> : cold}</Suspense>
}
