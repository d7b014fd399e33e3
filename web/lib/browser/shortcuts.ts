/** Single-key shortcuts: whether they are wanted, and whether a key press is meant for something else. */

/** Single keys that stand on a third level of many keyboards. */
const brackets: readonly string[] = ['[', ']']

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

/**
 * Whether a key press is a chord. Many keyboards have `[` and `]` behind AltGr, which reports Ctrl and Alt, or on a Mac
 * behind Option: those are single keys all the same.
 */
function isChord(event: KeyboardEvent): boolean {
  if (event.metaKey) return true
  const reached = event.getModifierState('AltGraph') || (event.altKey && !event.ctrlKey && brackets.includes(event.key))
  return !reached && (event.ctrlKey || event.altKey)
}

/** Whether a key press belongs to a field (a tick box takes the space bar only), a dialog, a menu, an input method or a chord. */
export function isForeignKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || isChord(event)) return true
  const target = event.target
  if (
    target instanceof Element &&
    target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable="true"]')
  )
    return true
  return document.querySelector(':is([role=dialog],[role=alertdialog],[role=menu])[data-state=open]') !== null
}
