import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PageBoundary } from './page-boundary.tsx'

test('a page that can’t be rendered is an error with ways on, and is rendered again on Retry', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubGlobal('reportError', vi.fn())
  let isBroken = true
  function Page() {
    if (isBroken) throw new TypeError()
    return <h1>blog</h1>
  }
  const { user } = renderAs(
    owner,
    <PageBoundary at="/site/s1">
      <Page />
    </PageBoundary>,
  )
  expect(screen.getByRole('alert').textContent).toContain('This page could not be shown')
  expect(screen.getByRole('link').getAttribute('href')).toBe('/')
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(screen.getByRole('heading', { name: 'blog' })).toBeTruthy()
})
