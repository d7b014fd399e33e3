import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DocumentList } from './list.tsx'

const api = apiServer()
const entries = Array.from({ length: 5 }, (_, at) => ({ name: `entry${at}`, action: 'site.create' }))

test('rows are not drawn again when another one is selected or the list counted', async () => {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  const rows = () => ({ message: entries })
  api.on('frappe.client.get_list', rows)
  api.on('frappe.desk.reportview.get_list', rows)
  api.on('frappe.client.get_count', () => ({ message: entries.length }))
  const draw = vi.fn((row: { name: string }) => `${row.name} drawn`)
  const columns = [{ field: 'action' }, { field: 'name', render: draw }] as const
  const href = () => null
  const { user } = renderAs(
    owner,
    <TooltipProvider>
      <DocumentList type={ActivityDoctype} columns={columns} href={href} empty="Nothing" selectable />
    </TooltipProvider>,
    '/activity',
  )
  expect(await screen.findByText('1–5 of 5')).toBeTruthy()
  expect(await screen.findByText('entry3 drawn')).toBeTruthy()
  const before = draw.mock.calls.length
  const [, first, second] = screen.getAllByRole('checkbox')
  await user.click(first as HTMLElement)
  expect(await screen.findByText('1 selected')).toBeTruthy()
  await user.click(second as HTMLElement)
  expect(await screen.findByText('2 selected')).toBeTruthy()
  // The two that are selected, each once.
  expect(draw.mock.calls.length - before).toBe(2)
})
