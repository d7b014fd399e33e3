import { expect, test } from 'vitest'
import { offsetToAvoidOverlap, type Box } from './toast-position.ts'

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom })
/** A toast in the lower right corner of a 1440 × 900 window. */
const toast = box(1044, 814, 1424, 884)

test('keeps its position if nothing overlaps it', () => {
  expect(offsetToAvoidOverlap(toast, [])).toBe(0)
  expect(offsetToAvoidOverlap(toast, [box(300, 830, 900, 890)])).toBe(0)
  expect(offsetToAvoidOverlap(toast, [box(1100, 700, 1400, 760)])).toBe(0)
  expect(offsetToAvoidOverlap(toast, [box(1100, 0, 1100, 0)])).toBe(0)
})

test('moves above an element that it would cover', () => {
  const bar = box(320, 832, 1408, 900)
  expect(toast.bottom - offsetToAvoidOverlap(toast, [bar])).toBe(bar.top - 8)
})

test('moves above several stacked elements, whatever their order', () => {
  const bar = box(320, 832, 1408, 900)
  const tray = box(1120, 770, 1420, 810)
  for (const low of [
    [bar, tray],
    [tray, bar],
  ])
    expect(toast.bottom - offsetToAvoidOverlap(toast, low)).toBe(tray.top - 8)
})

test('stays within the window', () => {
  expect(toast.top - offsetToAvoidOverlap(toast, [box(0, 20, 1440, 900)])).toBe(8)
})
