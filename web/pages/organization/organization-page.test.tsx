import { screen } from '@testing-library/react'
import { Suspense } from 'react'
import { expect, test } from 'vitest'
import { apiServer, type Call } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { OrganizationPage } from './organization-page.tsx'

const api = apiServer()

const entry = (name: string, action: string, reference_doctype: string, reference_name: string) => ({
  name,
  creation: sampleTime,
  actor: owner.user,
  action,
  reference_doctype,
  reference_name,
  reference_title: reference_name,
  organization: 'acme',
  result: 'Done',
})
const entries: Record<string, unknown>[] = [
  entry('a1', 'changed the organization', 'Organization', 'acme'),
  entry('a2', 'created the site', 'Site', 'blog'),
  entry('a3', 'added the server', 'Server', 'web-1'),
  { ...entry('a4', 'created the site', 'Site', 'elsewhere'), organization: 'other' },
  entry('a5', 'Site.clone', 'Site', 'source'),
  entry('a6', 'site.clone', 'Site', 'copy'),
]

/** Entries that meet the conditions of a request, as far as they name fields of these. */
function matching({ body }: Call): Record<string, unknown>[] {
  if (body['doctype'] !== 'Activity') return []
  const filters = body['filters'] as readonly (readonly [field: string, operator: string, value: unknown])[]
  return entries.filter((row) =>
    filters.every(([field, operator, value]) => !(field in row) || (operator === '=') === (row[field] === value)),
  )
}

test('the activity of an organization is of everything in it, and of nothing else', async () => {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', title: 'Acme', slug: 'acme' } }))
  api.on('frappe.client.get_list', (call) => ({ message: matching(call) }))
  api.on('frappe.client.get_count', (call) => ({ message: matching(call).length }))
  renderAs(
    owner,
    <TooltipProvider>
      <Suspense>
        <OrganizationPage />
      </Suspense>
    </TooltipProvider>,
    '/organization#activities',
  )
  expect(await screen.findByRole('link', { name: 'blog' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'web-1' })).toBeTruthy()
  expect(screen.getByText('acme')).toBeTruthy()
  expect(screen.queryByText('elsewhere')).toBeNull()
  expect(screen.getByRole('link', { name: 'source' })).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'copy' })).toBeNull()
})
