import { useSyncExternalStore } from 'react'

/**
 * What stands in the second line while a page loads: numbers in menu and chips, faces, jobs. A browser has six
 * connections to a server, and on a phone each answer takes its time; the first ones belong to what the page is about.
 */

/** A page that does not come at all holds the rest up no longer than this. */
const longestMs = 3000

/** Without a page that loads (tests of single parts) nothing waits. */
let open = true
const waiting = new Set<() => void>()

/** The page begins to load: the second line waits for `openSecondLine`. Called once, before anything is drawn. */
export function closeSecondLine(): void {
  open = false
  setTimeout(letIn, longestMs)
}

/** Answers that are here already are drawn first, but they hold nothing up for longer than this. */
const idleMs = 300

/** The first page is drawn: what waits may ask as soon as that has been painted and nothing else is to do. */
export function openSecondLine(): void {
  if (open) return
  const idle = window.requestIdleCallback as typeof requestIdleCallback | undefined
  // A tab in the background is not painted.
  if (document.hidden) letIn()
  else requestAnimationFrame(() => (idle ? idle(letIn, { timeout: idleMs }) : setTimeout(letIn)))
}

function letIn(): void {
  if (open) return
  open = true
  for (const told of waiting) told()
}

function subscribe(told: () => void): () => void {
  waiting.add(told)
  return () => waiting.delete(told)
}

/** Resolves when it is the second line's turn. */
export async function whenSecondLine(): Promise<void> {
  if (open) return
  await new Promise<void>((resolve) => {
    const stop = subscribe(() => {
      stop()
      resolve()
    })
  })
}

/** Whether it is the second line's turn. */
export function useSecondLine(): boolean {
  return useSyncExternalStore(subscribe, () => open)
}
