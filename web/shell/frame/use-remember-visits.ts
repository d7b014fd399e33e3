import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { rememberVisit, type Recent } from '#web/lib/routing/recent.ts'
import { matchRoute, trimmedPath } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { usePageName } from '#web/lib/routing/use-title.ts'
import { useScreens } from './screens.tsx'

const kinds: Readonly<Record<string, Recent['kind']>> = {
  '/site/:site': 'site',
  '/server/:server': 'server',
  '/user/:user': 'user',
}

/** Stores visited documents once the page knows their titles; search shows them first. */
export function useRememberVisits(): void {
  const { user, organization } = useSession()
  const screens = useScreens()
  const path = trimmedPath(useLocation().pathname)
  const title = usePageName()
  useEffect(() => {
    const match = matchRoute(screens, path)
    const kind = match ? kinds[match.route.path] : undefined
    if (!kind || !user || !organization || !title) return
    rememberVisit(user, organization.name, { kind, title, href: path })
  }, [screens, path, title, user, organization])
}
