import { useEffect, useSyncExternalStore } from 'react'
import { useBlocker, type BlockerFunction } from 'react-router'
import { isGuarded, leaveQuestion, leaveThen } from './navigation-blockers.ts'

/** Leaving means a different page or tab of the page. The same page with other filters loses nothing. */
const leaves: BlockerFunction = ({ currentLocation: from, nextLocation: to }) =>
  isGuarded() && (from.pathname !== to.pathname || from.hash !== to.hash)

function Blocker() {
  const blocker = useBlocker(leaves)
  useEffect(() => {
    if (blocker.state === 'blocked') leaveThen(blocker.proceed, blocker.reset)
  }, [blocker])
  return null
}

/** Asks for confirmation on links, shortcuts, back and forward if there is unsaved work. Render once, below the router. */
export function NavigationBlocker() {
  // Rendered only when needed: with a blocker, the router warns about each address typed by hand.
  return useSyncExternalStore(leaveQuestion.subscribe, isGuarded) ? <Blocker /> : null
}
