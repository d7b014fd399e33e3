import { useState } from 'react'
import { useMedia } from '#web/lib/browser/use-media.ts'

/** Name and life of the sidebar's cookie (docs/contracts/screens.md, section 9). */
const cookieName = 'sidebar:state'
const cookieDays = 7

/** State of the sidebar on this window. */
export interface SidebarState {
  /** The window is as narrow as a phone: no sidebar, a drawer. */
  phone: boolean
  /** Names beside the icons; else the icon rail. */
  expanded: boolean
  /** On phones: the drawer over the page. */
  drawerOpen: boolean
  setDrawerOpen: (open: boolean) => void
  /** Rail or full width; on phones the drawer. */
  toggle: () => void
}

function readCookie(): boolean | null {
  const pair = document.cookie.split('; ').find((part) => part.startsWith(`${cookieName}=`))
  return pair ? pair.endsWith('=true') : null
}

/** Full from 1280 px, the rail from 768 px, unless the person chose otherwise; a drawer below. */
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
