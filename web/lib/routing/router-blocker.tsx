import { useEffect } from 'react'
import { useBlocker, type BlockerFunction } from 'react-router'
import { hasUnsavedWork, confirmThenNavigate } from './navigation-blockers.ts'

/** Leaving means a different page or tab of the page. The same page with other filters loses nothing. */
const leaves: BlockerFunction = ({ currentLocation: from, nextLocation: to }) =>
  hasUnsavedWork() && (from.pathname !== to.pathname || from.hash !== to.hash)

/**
 * Asks for confirmation on links, shortcuts, back and forward if there is unsaved work. Render once, below the router. It is
 * always registered, so that no navigation comes before it.
 */
export function NavigationBlocker() {
  const blocker = useBlocker(leaves)
  useEffect(() => {
    if (blocker.state === 'blocked') confirmThenNavigate(blocker.proceed, blocker.reset)
  }, [blocker])
  return null
}
