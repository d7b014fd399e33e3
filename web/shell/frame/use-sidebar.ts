import { useState } from 'react'
import { useMedia } from '#web/lib/browser/use-media.ts'

/** Name and lifetime of the sidebar's cookie (docs/contracts/screens.md, section 9). */
const cookieName = 'sidebar:state'
const cookieDays = 7

/** State of the sidebar in this window. */
export interface SidebarState {
  /** Phone-sized window: a drawer instead of a sidebar. */
  phone: boolean
  /** Labels next to the icons; otherwise the icon rail. */
  expanded: boolean
  /** On phones: whether the drawer is open. */
  drawerOpen: boolean
  setDrawerOpen: (open: boolean) => void
  /** Toggles rail and full width; on phones the drawer. */
  toggle: () => void
}

function readCookie(): boolean | null {
  const pair = document.cookie.split('; ').find((part) => part.startsWith(`${cookieName}=`))
  return pair ? pair.endsWith('=true') : null
}

/** Full width from 1280 px, the rail from 768 px, unless the user chose otherwise; a drawer below that. */
export function useSidebar(): SidebarState {
  const phone = useMedia('(max-width: 767px)')
  const wide = useMedia('(min-width: 1280px)')
  const [chosen, setChosen] = useState(readCookie)
  const [drawerOpen, setDrawerOpen] = useState(false)
  const expanded = chosen ?? wide

  const toggle = (): void => {
    if (phone) {
      setDrawerOpen((open) => !open)
      return
    }
    const next = !expanded
    setChosen(next)
    document.cookie = `${cookieName}=${next}; path=/; max-age=${cookieDays * 86_400}; samesite=lax`
  }
  return { phone, expanded, drawerOpen: phone && drawerOpen, setDrawerOpen, toggle }
}
