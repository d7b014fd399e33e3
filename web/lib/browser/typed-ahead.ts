/** Keys typed while the search is opening: before its code has loaded and its field has the focus, or before the shell has. */

/** What the search lists first: pages and documents, or (Ctrl+K) actions. */
export type SearchMode = 'navigation' | 'actions'

/** What was typed: the text, and whether Enter followed it. */
export interface TypedAhead {
  readonly text: string
  readonly enter: boolean
}

/** A search that has not opened by then is broken: keys belong to the page again. */
const maxMs = 10_000

let kept: TypedAhead = { text: '', enter: false }
let stop: (() => void) | null = null
let cancel: () => void = () => undefined
let early: { readonly mode: SearchMode; readonly since: number } | null = null

/** Keeps what is typed from now on, until `takeTyped`. Esc drops it and calls `onCancel`. */
export function keepTyped(onCancel: () => void): void {
  cancel = onCancel
  if (stop) return
  const since = performance.now()
  const onKey = (event: KeyboardEvent): void => {
    if (performance.now() - since > maxMs) {
      takeTyped()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const { text } = kept
    if (event.key === 'Escape') {
      takeTyped()
      cancel()
    } else if (event.key === 'Enter') kept = { text, enter: true }
    else if (event.key === 'Backspace') kept = { text: text.slice(0, -1), enter: false }
    else if (event.key.length === 1) kept = { text: text + event.key, enter: false }
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  // Before all shortcuts, which listen on the document.
  window.addEventListener('keydown', onKey, true)
  stop = () => window.removeEventListener('keydown', onKey, true)
}

/** What was typed since `keepTyped`; from now on keys go where they belong. */
export function takeTyped(): TypedAhead {
  const typed = kept
  kept = { text: '', enter: false }
  stop?.()
  stop = null
  return typed
}

/**
 * Notices the search's shortcuts before the shell is there to handle them; the shell calls `takeEarlySearch`. In every page's
 * first script, so it is small: no dialog can be open yet, and the shell knows whether single keys are on.
 */
export function watchEarlySearch(): void {
  window.addEventListener('keydown', onEarlyKey, true)
}

function onEarlyKey(event: KeyboardEvent): void {
  const { target, key } = event
  const isPlain = !event.altKey && !event.shiftKey && !event.isComposing
  const isChord = isPlain && (event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k'
  const isSlash = key === '/' && !event.isComposing && !(target instanceof Element && target.closest('input, textarea'))
  if (!isChord && (!isSlash || early)) return
  event.preventDefault()
  // Later ones are letters of the text; none of them is the shell's.
  event.stopImmediatePropagation()
  early = { mode: isChord ? 'actions' : 'navigation', since: performance.now() }
  keepTyped(() => (early = null))
}

/** The search that was called before the shell was there; null if none was. */
export function takeEarlySearch(): SearchMode | null {
  window.removeEventListener('keydown', onEarlyKey, true)
  const found = early
  early = null
  return found !== null && performance.now() - found.since < maxMs ? found.mode : null
}
