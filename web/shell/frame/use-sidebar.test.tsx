import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { useSidebar } from './use-sidebar.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  document.cookie = 'sidebar:state=; path=/; max-age=-1'
})

function Sidebar() {
  const sidebar = useSidebar()
  return <button onClick={sidebar.toggle}>{sidebar.drawerOpen ? 'drawer' : sidebar.expanded ? 'full' : 'rail'}</button>
}

/** Renders it again, as after a reload, in a window of this width. */
function open(width: number): void {
  vi.stubGlobal('matchMedia', (query: string) => {
    const [, bound, px] = /\((max|min)-width: (\d+)px\)/.exec(query) ?? []
    const matches = bound === 'max' ? width <= Number(px) : width >= Number(px)
    return { matches, addEventListener: () => undefined, removeEventListener: () => undefined }
  })
  cleanup()
  render(<Sidebar />)
}
const shown = () => screen.getByRole('button').textContent
const press = () => userEvent.click(screen.getByRole('button'))

test('is expanded on wide windows and collapsed on tablets, unless the user chose otherwise', () => {
  open(1280)
  expect(shown()).toBe('full')
  open(1279)
  expect(shown()).toBe('rail')
})

test.each([
  [1440, 'full', 'rail', 'sidebar:state=false'],
  [1024, 'rail', 'full', 'sidebar:state=true'],
])('at %i px it toggles from %s to %s, and keeps that after a reload', async (width, before, after, cookie) => {
  open(width)
  expect(shown()).toBe(before)
  await press()
  expect(shown()).toBe(after)
  expect(document.cookie).toContain(cookie)
  open(width)
  expect(shown()).toBe(after)
})

test('is a drawer on phones, and opening it is not stored', async () => {
  open(767)
  await press()
  expect(shown()).toBe('drawer')
  expect(document.cookie).not.toContain('sidebar:state')
})
