import { act } from 'react'
import { expect, test } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { setRouteTitle, type Crumb } from '#web/lib/routing/use-title.ts'
import { Breadcrumb } from './breadcrumb.tsx'

const page = testRender()

function draw(path: string, crumbs: readonly Crumb[]): void {
  setRouteTitle(crumbs.at(-1)?.title ?? '', crumbs)
  act(() =>
    page.root.render(
      <MemoryRouter initialEntries={[path]}>
        <Breadcrumb />
      </MemoryRouter>,
    ),
  )
}

const links = () =>
  [...page.place.querySelectorAll('a')].map((link) => [
    link.getAttribute('aria-label') ?? link.textContent,
    link.getAttribute('href'),
  ])

test('home, the list as a link, and the page itself plain and bold', () => {
  draw('/site/abc', [{ title: 'Sites', href: '/site' }, { title: 'blog.localhost' }])
  expect(links()).toEqual([
    ['Home', '/'],
    ['Sites', '/site'],
  ])
  const current = page.place.querySelector('[aria-current=page]')
  expect([current?.tagName, current?.textContent]).toEqual(['B', 'blog.localhost'])
})

test('at home nothing leads home', () => {
  draw('/', [{ title: 'Dashboard' }])
  expect(links()).toEqual([])
  expect(page.place.textContent).toBe('Dashboard')
})

test('an unknown path has one crumb', () => {
  draw('/nowhere', [{ title: '404 - Page Not Found' }])
  expect(page.place.querySelector('[aria-current=page]')?.textContent).toBe('404 - Page Not Found')
})
