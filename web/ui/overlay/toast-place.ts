/** Edges of a box on screen, in px from the upper left corner. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Between a toast and what it stands above, in px. */
const gap = 8

/** How far up (px) a box must go so that it covers none of the others; never over the upper edge. */
export function raiseOver(box: Box, others: readonly Box[]): number {
  let raised = 0
  // From below: each step up can meet only what stands higher.
  for (const other of others.toSorted((a, b) => b.bottom - a.bottom)) {
    const beside = other.right <= box.left || other.left >= box.right
    const apart = other.top >= box.bottom - raised + gap || other.bottom <= box.top - raised
    if (beside || apart || other.bottom <= other.top) continue
    raised = box.bottom - other.top + gap
  }
  return Math.max(0, Math.min(raised, box.top - gap))
}

/**
 * Keeps an element on the lower edge above everything marked `data-low` there (buttons of a changed form, of many rows, of
 * a dialog), until the returned function is called.
 */
export function standAbove(element: HTMLElement): () => void {
  let raised = 0
  const place = (): void => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const low = [...document.querySelectorAll('[data-low]')].map((one) => one.getBoundingClientRect())
    raised = raiseOver({ left, right, top: top + raised, bottom: bottom + raised }, low)
    element.style.translate = raised === 0 ? '' : `0 ${-raised}px`
  }
  let frame = 0
  const soon = (): void => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(place)
  }
  place()
  // Bars come, go and grow with their form; its own moves change attributes only.
  const changes = new MutationObserver(soon)
  changes.observe(document.body, { childList: true, subtree: true, characterData: true })
  addEventListener('scroll', soon, { capture: true, passive: true })
  addEventListener('resize', soon)
  return () => {
    cancelAnimationFrame(frame)
    changes.disconnect()
    removeEventListener('scroll', soon, { capture: true })
    removeEventListener('resize', soon)
    element.style.translate = ''
  }
}
