import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DocumentList } from './list.tsx'

const api = apiServer()
const jobs = Array.from({ length: 20 }, (_, at) => ({ name: `job${at}`, type: 'site.create', status: 'Done' }))

function setup(total: number) {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Job' ? jobs : [] }))
  api.on('frappe.desk.reportview.get_list', ({ body }) => ({ message: body['doctype'] === 'Job' ? jobs : [] }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: Math.min(total, Number(body['limit'] ?? Number.POSITIVE_INFINITY)),
  }))
  return renderAs(
    owner,
    <TooltipProvider>
      <DocumentList type={JobDoctype} href={() => null} empty="Nothing" />
    </TooltipProvider>,
    '/job',
  )
}

test('a long list is counted up to 1,000, and exactly on request', async () => {
  const { user } = setup(4321)
  expect(await screen.findByText('1–20 of 1,000+')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next page' }).hasAttribute('disabled')).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Count all' }))
  expect(await screen.findByText('1–20 of 4,321')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Count all' })).toBeNull()
})

test('a list of 1,000 rows is counted exactly', async () => {
  setup(1000)
  expect(await screen.findByText('1–20 of 1,000')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Count all' })).toBeNull()
})
