import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { MemoryRouter } from 'react-router'
import { setRouteTitle, type Crumb } from '#web/lib/routing/use-title.ts'
import { BackLink, Breadcrumb } from './breadcrumb.tsx'

function setup(path: string, crumbs: readonly Crumb[]) {
  setRouteTitle(crumbs.at(-1)?.title ?? '', crumbs)
  return render(
    <MemoryRouter initialEntries={[path]}>
      <Breadcrumb />
    </MemoryRouter>,
  )
}

const links = () =>
  screen
    .queryAllByRole('link')
    .map((link) => [link.getAttribute('aria-label') ?? link.textContent, link.getAttribute('href')])

test('shows home, the list as a link, and the current page as plain bold text', () => {
  const { container } = setup('/site/abc', [{ title: 'Sites', href: '/site' }, { title: 'blog.localhost' }])
  expect(links()).toEqual([
    ['Home', '/'],
    ['Sites', '/site'],
  ])
  const current = container.querySelector('[aria-current=page]')
  expect([current?.tagName, current?.textContent]).toEqual(['B', 'blog.localhost'])
  // With little room the current page is shortened; the links keep their width.
  expect([...container.querySelectorAll('li')].map((item) => item.classList.contains('min-w-0'))).toEqual([
    false,
    false,
    true,
  ])
})

test('the home page is not a link on itself', () => {
  const { container } = setup('/', [{ title: 'Dashboard' }])
  expect(links()).toEqual([])
  expect(container.textContent).toBe('Dashboard')
})

test('an unknown path has a single crumb', () => {
  const { container } = setup('/nowhere', [{ title: '404 - Page Not Found' }])
  expect(container.querySelector('[aria-current=page]')?.textContent).toBe('404 - Page Not Found')
})

test('detail pages have a way back to their list on phones, other pages have none', () => {
  const draw = (crumbs: readonly Crumb[]) => {
    setRouteTitle('', crumbs)
    return render(<BackLink />, { wrapper: MemoryRouter })
  }
  const { unmount } = draw([{ title: 'Sites' }])
  expect(links()).toEqual([])
  unmount()
  draw([{ title: 'Sites', href: '/site' }, { title: 'blog.localhost' }])
  expect(links()).toEqual([['Sites', '/site']])
})
