import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { setRouteTitle, useCrumbs, usePageName, useTitle, type Crumb } from './use-title.ts'

const sites = { title: 'Sites', href: '/site' }

function Page({ name, before }: { name: string | null; before?: readonly Crumb[] }) {
  useTitle(name, before)
  const crumbs = useCrumbs().map(({ title }) => title)
  return <p>{JSON.stringify({ name: usePageName() ?? null, crumbs })}</p>
}

const shown = () => [
  document.title.split(' · ').slice(0, -1).join(' · '),
  JSON.parse(screen.getByRole('paragraph').textContent),
]

test('tab and last breadcrumb keep the specified title beside the name', () => {
  setRouteTitle('Site details', [sites, { title: 'Site details' }])
  const { rerender, unmount } = render(<Page name={null} />)
  expect(shown()).toEqual(['Site details', { name: null, crumbs: ['Sites', 'Site details'] }])
  rerender(<Page name="blog" />)
  expect(shown()).toEqual(['blog · Site details', { name: 'blog', crumbs: ['Sites', 'blog · Site details'] }])
  rerender(<Page name="blog" before={[]} />)
  expect(shown()).toEqual(['blog · Site details', { name: 'blog', crumbs: ['blog · Site details'] }])
  unmount()
  expect(document.title).toMatch(/^Site details · /)
})
