import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MemoryRouter } from '#web/lib/router.tsx'
import { setRouteTitle, type Crumb } from '#web/lib/use-title.ts'
import { Breadcrumb } from './breadcrumb.tsx'

let root: Root
let place: HTMLElement

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  place = document.createElement('div')
  root = createRoot(place)
})
afterEach(() => {
  act(() => root.unmount())
  vi.unstubAllGlobals()
})

function draw(path: string, crumbs: readonly Crumb[]): void {
  setRouteTitle(crumbs.at(-1)?.title ?? '', crumbs)
  act(() =>
    root.render(
      <MemoryRouter initialEntries={[path]}>
        <Breadcrumb />
      </MemoryRouter>,
    ),
  )
}

const links = () =>
  [...place.querySelectorAll('a')].map((link) => [
    link.getAttribute('aria-label') ?? link.textContent,
    link.getAttribute('href'),
  ])

test('home, the list as a link, and the page itself plain and bold', () => {
  draw('/site/abc', [{ title: 'Sites', href: '/site' }, { title: 'blog.localhost' }])
  expect(links()).toEqual([
    ['Home', '/'],
    ['Sites', '/site'],
  ])
  const current = place.querySelector('[aria-current=page]')
  expect([current?.tagName, current?.textContent]).toEqual(['B', 'blog.localhost'])
})

test('at home nothing leads home', () => {
  draw('/', [{ title: 'Dashboard' }])
  expect(links()).toEqual([])
  expect(place.textContent).toBe('Dashboard')
})

test('an unknown path has one crumb', () => {
  draw('/nowhere', [{ title: '404 - Page Not Found' }])
  expect(place.querySelector('[aria-current=page]')?.textContent).toBe('404 - Page Not Found')
})
