import { useEffect, useSyncExternalStore } from 'react'
import { useBlocker, type BlockerFunction } from 'react-router'
import { isGuarded, leaveQuestion, leaveThen } from './navigation-blockers.ts'

/** Another page or another tab of this one. The same page with other filters loses nothing. */
const leaves: BlockerFunction = ({ currentLocation: from, nextLocation: to }) =>
  isGuarded() && (from.pathname !== to.pathname || from.hash !== to.hash)

function Blocker() {
  const blocker = useBlocker(leaves)
  useEffect(() => {
    if (blocker.state === 'blocked') leaveThen(blocker.proceed, blocker.reset)
  }, [blocker])
  return null
}

/** Has links, keys, back and forward ask before something would be lost. Rendered once, below the router. */
export function NavigationBlocker() {
  // Only then: with a blocker the router warns of each address that was typed by hand.
  return useSyncExternalStore(leaveQuestion.subscribe, isGuarded) ? <Blocker /> : null
}
