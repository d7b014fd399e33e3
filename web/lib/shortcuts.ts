/** Single-key shortcuts: whether they are wanted, and whether a key press is meant for something else. */

const storageKey = 'easydash:shortcuts'

/** Whether single keys do anything; people can turn them off (speech input, WCAG 2.1.4). */
export function shortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    // Storage is blocked: the default holds.
    return true
  }
}

/** Turns single keys on or off, for this browser. */
export function setShortcutsEnabled(on: boolean): void {
  try {
    localStorage.setItem(storageKey, on ? 'on' : 'off')
  } catch {
    // Storage is blocked: they stay on.
  }
}

/** Whether a key press belongs to a field (a tick box takes the space bar only), a dialog, a menu, an input method or a chord. */
export function isForeignKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return true
  const target = event.target
  if (
    target instanceof Element &&
    target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable="true"]')
  )
    return true
  return document.querySelector(':is([role=dialog],[role=alertdialog],[role=menu])[data-state=open]') !== null
}
