import { afterEach, describe, expect, it } from 'vitest'
import { isForeignKey, setShortcutsEnabled, shortcutsEnabled } from './shortcuts.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** Whether a key press on an element is ignored. */
function foreign(init: KeyboardEventInit & { altGraph?: boolean }, target: Element = document.body): boolean {
  const { altGraph = false, ...rest } = init
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...rest })
  Object.defineProperty(event, 'getModifierState', { value: (key: string) => key === 'AltGraph' && altGraph })
  let isForeign = false
  target.addEventListener('keydown', (pressed) => (isForeign = isForeignKey(pressed as KeyboardEvent)), { once: true })
  target.dispatchEvent(event)
  return isForeign
}
function put(html: string): Element {
  document.body.innerHTML = html
  const element = document.body.querySelector('[data-here]') ?? document.body.firstElementChild
  if (!element) throw new Error('nothing there')
  return element
}

describe('a single-key shortcut', () => {
  it('works on the page, on links and on checkboxes', () => {
    expect(foreign({ key: 'j' })).toBe(false)
    expect(foreign({ key: 'x' }, put('<a href="/">blog</a>'))).toBe(false)
    expect(foreign({ key: 'x' }, put('<input type="checkbox">'))).toBe(false)
  })

  it.each(['<input>', '<textarea></textarea>', '<select></select>', '<p contenteditable="true"></p>'])(
    'is ignored in text input: %s',
    (html) => expect(foreign({ key: 'j' }, put(html))).toBe(true),
  )

  it.each(['dialog', 'alertdialog', 'menu'])('is ignored while a %s is open', (role) => {
    put(`<div role="${role}" data-state="open"></div>`)
    expect(foreign({ key: 'j' })).toBe(true)
    put(`<div role="${role}" data-state="closed"></div>`)
    expect(foreign({ key: 'j' })).toBe(false)
  })

  it('is ignored during input method composition and with modifier keys', () => {
    expect(foreign({ key: 'j', isComposing: true })).toBe(true)
    for (const chord of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
      expect(foreign({ key: 'j', ...chord })).toBe(true)
  })

  it('works for keys typed with AltGr or Option', () => {
    expect(foreign({ key: '[', ctrlKey: true, altKey: true, altGraph: true })).toBe(false)
    expect(foreign({ key: ']', altKey: true })).toBe(false)
    expect(foreign({ key: '[', ctrlKey: true, altKey: true })).toBe(true)
    expect(foreign({ key: ']', metaKey: true, altKey: true })).toBe(true)
  })
})

it('single-key shortcuts can be turned off in this browser', () => {
  setShortcutsEnabled(false)
  expect(shortcutsEnabled()).toBe(false)
  setShortcutsEnabled(true)
  expect(shortcutsEnabled()).toBe(true)
})
