/** Where something floats beside its control. */
export type Side = 'top' | 'right' | 'bottom' | 'left'

const gap = 6
const margin = 8

const clamp = (value: number, size: number, room: number): number =>
  Math.max(margin, Math.min(value, room - size - margin))

/** Puts a fixed element at a side of a box, centred, inside the window; over it when there is no room below. */
export function placeBeside(element: HTMLElement, box: DOMRect, side: Side): void {
  const { width, height } = element.getBoundingClientRect()
  const middleX = clamp(box.left + box.width / 2 - width / 2, width, innerWidth)
  const middleY = clamp(box.top + box.height / 2 - height / 2, height, innerHeight)
  const below = box.bottom + gap + height <= innerHeight - margin
  const spots: Record<Side, [number, number]> = {
    right: [box.right + gap, middleY],
    left: [box.left - gap - width, middleY],
    top: [middleX, box.top - gap - height],
    bottom: [middleX, below ? box.bottom + gap : box.top - gap - height],
  }
  const [left, top] = spots[side]
  put(element, left, top)
}

/** Puts a fixed element under a box, its start or end edge at the box's, inside the window; over it without room. */
export function placeUnder(element: HTMLElement, box: DOMRect, align: 'start' | 'end'): void {
  const { width, height } = element.getBoundingClientRect()
  const left = clamp(align === 'start' ? box.left : box.right - width, width, innerWidth)
  const room = innerHeight - box.bottom - gap - margin
  const over = height > room && box.top > innerHeight - box.bottom
  put(element, left, over ? Math.max(margin, box.top - gap - height) : box.bottom + gap)
}

function put(element: HTMLElement, left: number, top: number): void {
  // `inset` of popovers is 0 on all sides by the browser's own rules.
  element.style.inset = 'auto'
  element.style.left = `${Math.round(left)}px`
  element.style.top = `${Math.round(top)}px`
}
