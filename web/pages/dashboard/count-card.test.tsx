import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { CountCard } from './count-card.tsx'

const api = apiServer()

async function draw(values: readonly string[]) {
  const known: string[] = []
  api.on('frappe.client.get_list', () => ({ message: values.map((site_type) => ({ site_type, n: 2 })) }))
  const count = { type: SiteDoctype, field: 'site_type', title: 'Site type', filters: [], path: '/site' }
  renderAs(owner, <CountCard count={count} onKnown={(title) => known.push(title)} />)
  await waitFor(() => expect(known).toContain('Site type'))
}

test('a chart appears from two values on', async () => {
  await draw(['wp'])
  expect(screen.queryByText('Site type')).toBeNull()
})

test('two values are two bars', async () => {
  await draw(['wp', 'php'])
  expect(screen.getAllByRole('link')).toHaveLength(2)
})

test('counts that did not load can be read again, and their details copied', async () => {
  api.on('frappe.client.get_list', () => ({ status: 417, body: { exception: 'Out of order.' } }))
  const count = { type: SiteDoctype, field: 'site_type', title: 'Site type', filters: [], path: '/site' }
  const { user } = renderAs(owner, <CountCard count={count} onKnown={() => undefined} />)
  await user.click(await screen.findByRole('button', { name: 'Copy details' }))
  expect(await navigator.clipboard.readText()).toContain('Counts did not load')
  api.on('frappe.client.get_list', () => ({ message: ['wp', 'php'].map((site_type) => ({ site_type, n: 2 })) }))
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(screen.getAllByRole('link')).toHaveLength(2))
})
