/** Edges of a box on screen, in px from the upper left corner. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Gap between a toast and the element below it, in px. */
const gap = 8

/** How far (px) to move a box up so that it overlaps none of the others, but not beyond the upper edge. */
export function offsetToAvoidOverlap(box: Box, others: readonly Box[]): number {
  let raised = 0
  // From bottom to top: each move can only collide with boxes higher up.
  for (const other of others.toSorted((a, b) => b.bottom - a.bottom)) {
    const beside = other.right <= box.left || other.left >= box.right
    const separate = other.top >= box.bottom - raised + gap || other.bottom <= box.top - raised
    if (beside || separate || other.bottom <= other.top) continue
    raised = box.bottom - other.top + gap
  }
  return Math.max(0, Math.min(raised, box.top - gap))
}

/**
 * Keeps an element above everything marked `data-low` at the lower edge (save bar, bulk bar, dialog buttons) until the
 * returned function is called.
 */
export function positionAboveBars(element: HTMLElement): () => void {
  let raised = 0
  const reposition = (): void => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const low = [...document.querySelectorAll('[data-low]')].map((one) => one.getBoundingClientRect())
    raised = offsetToAvoidOverlap({ left, right, top: top + raised, bottom: bottom + raised }, low)
    element.style.translate = raised === 0 ? '' : `0 ${-raised}px`
  }
  let frame = 0
  const schedule = (): void => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(reposition)
  }
  reposition()
  // The bars mount, unmount and grow with their form. The element's own moves only change attributes and are not observed.
  const changes = new MutationObserver(schedule)
  changes.observe(document.body, { childList: true, subtree: true, characterData: true })
  addEventListener('scroll', schedule, { capture: true, passive: true })
  addEventListener('resize', schedule)
  return () => {
    cancelAnimationFrame(frame)
    changes.disconnect()
    removeEventListener('scroll', schedule, { capture: true })
    removeEventListener('resize', schedule)
    element.style.translate = ''
  }
}
