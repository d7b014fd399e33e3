import { render, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { serverListFields, ServerDoctype } from '#shared/doctypes/server.ts'
import { requestFields } from '#web/documents/list/list-rows-request.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { serverColumns } from './server-columns.tsx'

const nameNote = (row: Record<string, unknown>, privileged = true) => {
  const [hostname] = serverColumns(privileged, null)
  const note = <TooltipProvider>{hostname?.render?.({ name: 'v1', hostname: 'web-1', ...row })}</TooltipProvider>
  return render(<p>{note}</p>).container
}

test('a server’s provider, location and flag are shown below its name', async () => {
  const note = nameNote({ engine: 'ee', cloud_provider: 'Hetzner', vm_region: 'fsn1', vm_country: 'DE' })
  expect(note.textContent).toBe('Hetznerfsn1, Germany')
  await waitFor(() => expect(note.querySelector('img')?.getAttribute('src')).toMatch(/DE\.svg/))
})

test('members do not request server locations, which they cannot read', () => {
  expect(serverListFields).not.toContain('vm_country')
  const requests = requestFields(ServerDoctype, serverColumns(false, null))
  expect(requests.filter((field) => field.startsWith('vm_'))).toEqual([])
})

test('the provider of this machine is called as in filters and widgets', () => {
  expect(nameNote({ engine: 'local', cloud_provider: 'Custom' }, false).textContent).toBe(
    `${valueLabel(ServerDoctype, 'cloud_provider', 'Custom')}This machine`,
  )
})

test('a server has the mark of its provider', () => {
  const [hostname] = serverColumns(false, null)
  const mark = (cloud_provider: 'Hetzner' | 'Custom') => {
    const { container } = render(<p>{hostname?.icon?.({ name: 'v1', cloud_provider })}</p>)
    return container.querySelector('svg rect')?.getAttribute('fill')
  }
  expect([mark('Hetzner'), mark('Custom') === '#d50c2d']).toEqual(['#d50c2d', false])
  expect(requestFields(ServerDoctype, serverColumns(false, null))).toContain('cloud_provider')
})

const rowText = (row: Record<string, unknown>) => nameNote(row).textContent

test.each(['Disconnected', 'Degraded', 'Failed'])(
  'the row of a server that is %s says why, since when, and when it last answered',
  (status) => {
    const text = rowText({
      status,
      failure_reason: 'The disk is nearly full. Free some space.',
      failure_since: hoursAgo(6),
      checked_at: hoursAgo(7),
    })
    expect(text).toContain('The disk is nearly full. Free some space.')
    expect(text).toMatch(/Since 6 hours ago.*Last contact 7 hours ago/)
    expect(rowText({ status, failure_reason: null, checked_at: null })).toMatch(/not recorded.*No contact so far/)
  },
)

test('a server that works has no such line, and what it needs is requested', () => {
  expect(rowText({ status: 'Healthy', failure_reason: 'Old', failure_since: hoursAgo(1) })).toBe('')
  expect(requestFields(ServerDoctype, serverColumns(true, null))).toEqual(
    expect.arrayContaining(['failure_reason', 'failure_reason_i18n', 'failure_since', 'checked_at']),
  )
})

const cellText = (field: string, row: Record<string, unknown>, privileged = true) => {
  const column = serverColumns(privileged, null).find((one) => one.field === field)
  return render(<p>{column?.render?.({ name: 'v1', ...row })}</p>).container
}

test('CPU, RAM and disk show how much of them is used, and only how much there is where nobody measured it', () => {
  const at = hoursAgo(0)
  const row = {
    cpu: 4,
    cpu_percent: 86.4,
    ram: 8 * 1024 ** 3,
    memory_percent: 58,
    disk: 80 * 1024 ** 3,
    metrics_at: at,
  }
  expect(cellText('cpu', row).textContent).toBe('86%4 cores')
  expect(cellText('cpu', row).querySelector('[role=meter]')?.getAttribute('aria-label')).toBe('CPU used')
  expect(cellText('ram', row).textContent).toBe('58%8 GB')
  expect(cellText('disk', { ...row, disk_percent: 37 }).textContent).toBe('37%80 GB')
  expect(cellText('disk', { disk: 80 * 1024 ** 3, disk_free: 40 * 1024 ** 3 }).textContent).toBe('50%80 GB')
  expect([cellText('cpu', { cpu: 4 }).textContent, cellText('ram', {}).textContent]).toEqual(['4 cores', '—'])
  const stale = cellText('cpu', { ...row, metrics_at: hoursAgo(3) })
  expect(stale.querySelector('[role=meter]')?.getAttribute('aria-label')).toMatch(/^CPU used, as of /)
  const forMembers = requestFields(ServerDoctype, serverColumns(false, null))
  expect(forMembers.filter((field) => /percent|metrics/.test(field))).toEqual([])
})
