import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MemoryRouter } from '#web/lib/router.tsx'
import { setRouteTitle, type Crumb } from '#web/lib/use-title.ts'
import { Breadcrumb } from './breadcrumb.tsx'

function drawn(path: string, crumbs: readonly Crumb[]): HTMLElement {
  setRouteTitle(crumbs.at(-1)?.title ?? '', crumbs)
  const place = document.createElement('div')
  place.innerHTML = renderToStaticMarkup(
    <MemoryRouter initialEntries={[path]}>
      <Breadcrumb />
    </MemoryRouter>,
  )
  return place
}

const links = (place: HTMLElement) =>
  [...place.querySelectorAll('a')].map((link) => [
    link.getAttribute('aria-label') ?? link.textContent,
    link.getAttribute('href'),
  ])

test('home, the list as a link, and the page itself plain and bold', () => {
  const place = drawn('/site/abc', [{ title: 'Sites', href: '/site' }, { title: 'blog.localhost' }])
  expect(links(place)).toEqual([
    ['Home', '/'],
    ['Sites', '/site'],
  ])
  const current = place.querySelector('[aria-current=page]')
  expect([current?.tagName, current?.textContent]).toEqual(['B', 'blog.localhost'])
})

test('at home nothing leads home', () => {
  const place = drawn('/', [{ title: 'Dashboard' }])
  expect(links(place)).toEqual([])
  expect(place.textContent).toBe('Dashboard')
})

test('an unknown path has one crumb', () => {
  const place = drawn('/nowhere', [{ title: '404 - Page Not Found' }])
  expect(place.querySelector('[aria-current=page]')?.textContent).toBe('404 - Page Not Found')
})
