import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { ConfigurationsTab } from './configurations-tab.tsx'

const api = apiServer()
const gigabyte = 1024 ** 3
const firewall = { enabled: true, allow: ['192.0.2.7'], block: [], banned: ['203.0.113.9'] }
const server = {
  ...{ name: 'v1', hostname: 'web-1', status: 'Healthy', engine: 'ee', server_category: 'development', firewall },
  ...{ cloud_provider: 'Hetzner', vm_region: 'fsn1', vm_type: 'cx23', timezone: 'Etc/UTC', total_swap: 2 * gigabyte },
  ...{ automatic_updates: 0, easyengine: '4.12.0' },
}
const machine = (name: string, price: number, more: object = {}) => ({
  ...{ name, label: name.toUpperCase(), architecture: 'x86', cpu: 2, ram: 4 * gigabyte, disk: 40 * gigabyte },
  ...{ price_monthly: price, price_hourly: price / 700, currency: 'EUR', available: true, reason: null, ...more },
})

function setup(more: object = {}, session: Session = owner) {
  const doc = { ...server, ...more }
  api.on('resource/Server/v1', () => ({ data: doc }))
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('easydash.easydash.doctype.server.server.get_machine_types', () => ({
    message: [
      machine('cx22', 3.99),
      machine('cx23', 4.49),
      machine('cx33', 7.49),
      machine('tiny', 2.49, { disk: 20 * gigabyte }),
      machine('cax11', 3.49, { architecture: 'arm' }),
    ],
  }))
  api.on('run_doc_method', ({ body }) => ({
    message:
      body['method'] === 'candidates_for_change_owner'
        ? [{ user: 'adam@acme.example', full_name: 'Adam' }]
        : { job: 'j1' },
  }))
  return renderAs(session, <ConfigurationsTab server={doc as unknown as Server} />).user
}
const lastCall = () => api.calls.findLast(({ name }) => name === 'run_doc_method')?.body

test('another size is chosen by what it costs more or less; what the server cannot become says why', async () => {
  const user = setup()
  await user.click(screen.getByRole('button', { name: 'Resize…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Resize · web-1' }))
  const about = (name: string) =>
    document.getElementById(dialog.getByRole('radio', { name }).getAttribute('aria-describedby') ?? '')?.textContent
  await dialog.findByRole('radio', { name: 'CX33' })
  expect(about('CX33')).toContain('€3.00 more per month')
  expect(about('CX22')).toContain('€0.50 less per month')
  // The cheapest of those that can be chosen may well cost more than the server does.
  expect(dialog.queryByText('Cheapest')).toBeNull()
  expect([about('CX23'), about('TINY'), about('CAX11')]).toEqual([
    expect.stringContaining('What the server has now'),
    expect.stringContaining('disk is smaller'),
    expect.stringContaining('processor is of another kind'),
  ])
  for (const name of ['CX23', 'TINY', 'CAX11'])
    expect(dialog.getByRole('radio', { name })).toHaveProperty('disabled', true)
  await user.click(dialog.getByRole('radio', { name: 'CX33' }))
  await user.click(dialog.getByRole('button', { name: 'Resize' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(lastCall()).toMatchObject({ method: 'resize', args: { vm_type: 'cx33' } })
})

test('says what the end of this server takes: the rented machine, or none of one’s own', async () => {
  setup()
  expect(screen.getByText('The machine is deleted at Hetzner with everything on it.')).toBeTruthy()
  cleanup()
  setup({ cloud_provider: 'Custom' })
  expect(screen.getByText(/^The machine keeps running/)).toBeTruthy()
})

test('an address that fail2ban banned is let in again', async () => {
  const user = setup()
  await user.click(screen.getByRole('button', { name: 'Let 203.0.113.9 in again' }))
  await waitFor(() => expect(lastCall()).toMatchObject({ method: 'unban', args: { address: '203.0.113.9' } }))
})

test('the firewall is shown as it was read, and changed as lists', async () => {
  const user = setup()
  const card = within(screen.getByRole('region', { name: 'Firewall' }))
  expect(card.getByText('203.0.113.9')).toBeTruthy()
  await user.click(card.getByRole('button', { name: 'Change…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Firewall · web-1' }))
  await user.type(dialog.getByLabelText('Blocked addresses'), '198.51.100.1{Enter}198.51.100.0/24 ')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(lastCall()).toMatchObject({
    method: 'firewall',
    args: { enabled: 1, allow: ['192.0.2.7'], block: ['198.51.100.1', '198.51.100.0/24'] },
  })
})

test('what was not read is neither shown as off nor changed', () => {
  setup({ firewall: null })
  const card = within(screen.getByRole('region', { name: 'Firewall' }))
  expect(card.getByText(/^Not read yet/)).toBeTruthy()
  expect(card.queryByRole('button')).toBeNull()
})

test('time zone and owner are chosen from what there is', async () => {
  const user = setup()
  await user.click(screen.getByRole('button', { name: 'Change time zone…' }))
  await user.selectOptions(await screen.findByLabelText('Time zone'), 'Europe/Berlin')
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Change time zone' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(lastCall()).toMatchObject({ method: 'set_timezone', args: { timezone: 'Europe/Berlin' } })
  await user.click(screen.getByRole('button', { name: 'Transfer ownership…' }))
  await user.selectOptions(await screen.findByLabelText('New owner'), 'adam@acme.example')
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Transfer ownership' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(lastCall()).toMatchObject({ method: 'change_owner', args: { new_owner: 'adam@acme.example' } })
})

test('a manager restarts and reads the server, and changes nothing else', () => {
  setup({}, { ...owner, organization: { name: 'acme', title: 'Acme', role: 'Organization Manager', owner: false } })
  const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect(buttons).toEqual(['Upgrade EasyEngine…', 'Resync', 'Reboot…'])
  expect(screen.queryByRole('switch')).toBeNull()
})
