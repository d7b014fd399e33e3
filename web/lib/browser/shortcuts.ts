/** Single-key shortcuts: whether they are on, and whether a key press is meant for something else. */

/** Keys that need AltGr or Option on many keyboards. */
const brackets: readonly string[] = ['[', ']']

const storageKey = 'easydash:shortcuts'

/** Whether single-key shortcuts are on. Users can turn them off (speech input, WCAG 2.1.4). */
export function shortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    // Storage is blocked: use the default.
    return true
  }
}

/** Turns single-key shortcuts on or off in this browser. */
export function setShortcutsEnabled(on: boolean): void {
  try {
    localStorage.setItem(storageKey, on ? 'on' : 'off')
  } catch {
    // Storage is blocked: they stay on.
  }
}

/**
 * Whether a key press is a chord. Many keyboards type `[` and `]` with AltGr, which reports Ctrl and Alt, or with Option on
 * a Mac; these count as single keys.
 */
function isChord(event: KeyboardEvent): boolean {
  if (event.metaKey) return true
  const reached = event.getModifierState('AltGraph') || (event.altKey && !event.ctrlKey && brackets.includes(event.key))
  return !reached && (event.ctrlKey || event.altKey)
}

/**
 * Whether a key press belongs to a field (checkboxes only use the space bar), a dialog, a menu, an input method or a chord.
 */
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
