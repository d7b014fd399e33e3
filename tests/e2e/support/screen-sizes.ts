/** What is too wide for a narrow screen, and too small for a finger. */
import type { Page } from '@playwright/test'
import { settled } from './looks.ts'

/** What reaches past the screen's right edge, although nothing around it scrolls or clips; empty if nothing does. */
export async function tooWide(page: Page): Promise<string[]> {
  await settled(page)
  return page.evaluate<string[]>(`(() => {
    const over = document.documentElement.scrollWidth - document.documentElement.clientWidth
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')]
    return [
      ...(over > 0 ? ['page: ' + over + ' px'] : []),
      ...layers.flatMap((layer) => {
        const { left, right } = layer.getBoundingClientRect()
        return left < 0 || right > innerWidth || layer.scrollWidth > layer.clientWidth
          ? [layer.getAttribute('role') + ': ' + left + ' to ' + right + ', content ' + layer.scrollWidth]
          : []
      }),
      // What a layer scrolls sideways without meaning to; what means to says so in its class.
      ...layers.flatMap((layer) => [...layer.querySelectorAll('*')])
        .filter((box) => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === 'auto')
        .filter((box) => !/overflow-(?:x-)?auto/.test(box.className))
        .map((box) => 'scrolls: ' + box.outerHTML.slice(0, 200)),
    ]
  })()`)
}

/**
 * Visible controls that are too small, by the reason. Links inside a sentence have its line's height (WCAG 2.2, 2.5.8, inline),
 * and a checkbox may have a larger label or box around it that takes the tap.
 */
export async function tooSmall(page: Page): Promise<string[]> {
  await settled(page)
  return page.evaluate<string[]>(`(() => {
    const shown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest('[inert], .sr-only, [aria-hidden=true]')
    const inSentence = (node) => {
      if (getComputedStyle(node).display !== 'inline') return false
      const parent = node.parentElement
      return [...parent.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim() !== '')
    }
    const sizeOf = (node) => {
      const after = getComputedStyle(node, '::after')
      const covers = after.position === 'absolute' && after.content !== 'none'
      const boxes = [node, node.closest('label'), ...(node.labels ?? [])].flatMap((one) => one?.getBoundingClientRect() ?? [])
      const most = (side) => Math.max(...boxes.map((box) => box[side]), covers ? Number.parseFloat(after[side]) : 0)
      return { height: most('height'), width: most('width') }
    }
    const name = (node) => node.tagName.toLowerCase() + ' "' + (node.getAttribute('aria-label') ?? node.textContent ?? '').trim().slice(0, 40) + '"'
    const found = []
    for (const node of document.querySelectorAll('a[href], button, [role=button], [role=tab], summary, input[type=checkbox], input[type=radio]')) {
      if (!shown(node) || inSentence(node)) continue
      const { height, width } = sizeOf(node)
      if (height === 0) continue
      const least = node.classList.contains('btn-primary') ? 44 : 24
      if (height < least - 0.5) found.push(name(node) + ' is ' + height.toFixed(0) + ' px high')
      // Names of people's own are as wide as they are, even "vm".
      if (width < 23.5 && !/^\\w{1,2}$/.test(node.textContent.trim())) found.push(name(node) + ' is ' + width.toFixed(0) + ' px wide')
    }
    for (const node of document.querySelectorAll('select, textarea, input:not([type=checkbox]):not([type=radio]):not([type=file]):not([type=hidden])')) {
      if (!shown(node)) continue
      const size = Number.parseFloat(getComputedStyle(node).fontSize)
      if (size < 16) found.push(name(node) + ' ' + (node.getAttribute('name') ?? '') + ' has type of ' + size + ' px')
    }
    return [...new Set(found)]
  })()`)
}
