import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SitesPage } from './sites-page.tsx'

const api = apiServer()

/** Renders the page of an organization without active sites. */
function setup(archived: number) {
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: /"=","Archived"/.test(JSON.stringify(body['filters'])) ? archived : 0,
  }))
  return renderAs(
    owner,
    <TooltipProvider>
      <SitesPage />
    </TooltipProvider>,
    '/site',
  )
}

test('an organization without sites is told what a site is', async () => {
  setup(0)
  expect(await screen.findByText('No sites yet')).toBeTruthy()
  expect(screen.queryByText(/archived site/)).toBeNull()
})

test('an organization whose sites are all archived gets the way to them', async () => {
  setup(2)
  const link = await screen.findByRole('link', { name: 'Show 2 archived sites' })
  expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain('status')
  expect(screen.queryByText('No sites yet')).toBeNull()
})
