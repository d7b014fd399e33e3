import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { useSidebar } from './use-sidebar.ts'

const page = testRender()
afterEach(() => {
  document.cookie = 'sidebar:state=; path=/; max-age=0'
})

let toggle: () => void
function Sidebar() {
  const sidebar = useSidebar()
  return (
    <button ref={() => void (toggle = sidebar.toggle)}>
      {sidebar.drawerOpen ? 'drawer' : sidebar.expanded ? 'full' : 'rail'}
    </button>
  )
}

/** Renders it again, as after a reload, in a window of this width. */
function open(width: number): void {
  vi.stubGlobal('matchMedia', (query: string) => {
    const [, bound, px] = /\((max|min)-width: (\d+)px\)/.exec(query) ?? []
    const matches = bound === 'max' ? width <= Number(px) : width >= Number(px)
    return { matches, addEventListener: () => undefined, removeEventListener: () => undefined }
  })
  act(() => page.root.render(<Sidebar key={Math.random()} />))
}
const shown = () => page.place.textContent
const press = () => act(() => toggle())

test('is full on wide windows and the rail on tablets, until somebody chooses', () => {
  open(1280)
  expect(shown()).toBe('full')
  open(1279)
  expect(shown()).toBe('rail')
})

test.each([
  [1440, 'full', 'rail', 'sidebar:state=false'],
  [1024, 'rail', 'full', 'sidebar:state=true'],
])('at %i px it goes from %s to %s, and a reload keeps that', (width, before, after, cookie) => {
  open(width)
  expect(shown()).toBe(before)
  press()
  expect(shown()).toBe(after)
  expect(document.cookie).toContain(cookie)
  open(width)
  expect(shown()).toBe(after)
})

test('on a phone it is a drawer, which is no choice for later', () => {
  open(767)
  press()
  expect(shown()).toBe('drawer')
  expect(document.cookie).not.toContain('sidebar:state')
})
