import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useBlocker, type BlockerFunction } from 'react-router'
import { isGuarded, leaveQuestion, leaveThen } from './navigation-blockers.ts'

/** Leaving means a different page or tab of the page. The same page with other filters loses nothing. */
const leaves: BlockerFunction = ({ currentLocation: from, nextLocation: to }) =>
  isGuarded() && (from.pathname !== to.pathname || from.hash !== to.hash)

function Blocker({ isNeeded, onEnd }: { isNeeded: boolean; onEnd: () => void }) {
  // React renders the blocked navigation a moment later, when everything may be saved already: it still has to go on.
  const isPending = useRef(false)
  const blocks = useCallback<BlockerFunction>((change) => {
    isPending.current = leaves(change)
    return isPending.current
  }, [])
  const blocker = useBlocker(blocks)
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    isPending.current = false
    leaveThen(blocker.proceed, blocker.reset)
  }, [blocker])
  useEffect(() => {
    if (!isNeeded && !isPending.current) onEnd()
  }, [isNeeded, blocker, onEnd])
  return null
}

/** Asks for confirmation on links, shortcuts, back and forward if there is unsaved work. Render once, below the router. */
export function NavigationBlocker() {
  // Rendered only when needed: with a blocker, the router warns about each address typed by hand.
  const isNeeded = useSyncExternalStore(leaveQuestion.subscribe, isGuarded)
  const [isRendered, setRendered] = useState(isNeeded)
  if (isNeeded && !isRendered) setRendered(true)
  const end = useCallback(() => setRendered(false), [])
  return isRendered ? <Blocker isNeeded={isNeeded} onEnd={end} /> : null
}
