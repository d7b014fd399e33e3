import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { apiServer, type Call } from '#tests/web/api.ts'
import { owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { CloudTab } from './cloud-tab.tsx'

const api = apiServer()
const check = { outcome: 'ok', message: 'The token works.', message_i18n: { id: 'The token works.' }, advice: null }
const rejected = { ...check, outcome: 'wrong_key', message: 'Hetzner does not accept the key (401).' }
const tested = { advice_i18n: null, status: 200, took_ms: 1, checked_at: '2026-01-01 00:00:00.000000', stored: true }

type Row = Record<string, unknown> & { name: string }
let rows: Row[]
let outcome: Record<string, unknown>
const stored = (name: string, label: string, is_default: 0 | 1): Row => ({
  ...{ name, label, is_default, kind: 'Hetzner', organization: 'acme', status: 'Not Tested' },
  ...{ outcome: null, message: null },
  ...{ message_i18n: null, advice: null, advice_i18n: null, checked_at: null, set_at: '2026-01-01 00:00:00.000000' },
  ...{ hcloud_token: '*****', modified: '2026-01-01 00:00:00.000000', doctype: 'Connection' },
})

/** A small server: it stores connections, and notes what they are tested with. */
function change({ name, verb, body }: Call) {
  const row = rows.find((one) => name.endsWith(`/${one.name}`))
  if (row && verb === 'DELETE') rows = rows.filter((one) => one !== row)
  if (row && verb === 'PUT') {
    if (body['is_default'] === 1) for (const one of rows) one['is_default'] = 0
    Object.assign(row, body, 'hcloud_token' in body && { hcloud_token: '*****' })
  }
  if (!row) rows.push({ ...stored('added', 'Hetzner', 0), ...body, hcloud_token: '*****' })
  return { data: row ?? rows.at(-1) }
}

beforeEach(() => {
  rows = [stored('h1', 'Main', 1), stored('h2', 'Client A', 0)]
  outcome = check
  api.on('easydash.api.connections.facts', () => ({
    message: { egress_ips: [], bot_name: 'bot', default_public_key: 'ssh-ed25519 AAAA easydash' },
  }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Connection' ? rows : body['doctype'] === 'Server' ? [{ connection: 'h1', n: 2 }] : [],
  }))
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme' } }))
  api.on('resource/Connection', change)
  for (const name of ['h1', 'h2', 'added']) api.on(`resource/Connection/${name}`, change)
  api.on('run_doc_method', ({ body }) => {
    const row = rows.find(({ name }) => name === body['dn'])
    const typed = JSON.stringify(body).includes('hcloud_token')
    if (row && !typed) Object.assign(row, outcome, tested)
    return { message: { ...outcome, ...tested, stored: !typed } }
  })
})

const region = () => screen.findByRole('region', { name: 'Hetzner' })
const item = async (label: string) => within(await screen.findByRole('listitem', { name: label }))
const show = (): Rendered =>
  renderAs(
    owner,
    <TooltipProvider>
      <CloudTab organization={{ name: 'acme' } as unknown as Organization} wpc={false} />
    </TooltipProvider>,
  )
const saves = () => api.calls.filter(({ name, verb }) => name.startsWith('resource/Connection') && verb !== 'GET')

test('each connection shows whether it is the default, its status and what uses it, and is tested on its own', async () => {
  const orphan = { id: '7', name: 'web-1-abc', type: 'cx23', region: 'fsn1', price: '4.61 EUR', deleted: false }
  Object.assign(rows[0] ?? {}, { orphans: [orphan] })
  const { user } = show()
  const main = await item('Main')
  expect(main.getByText('Default')).toBeTruthy()
  expect(await main.findByText('2 servers use it')).toBeTruthy()
  expect(main.getByText('web-1-abc: cx23 in fsn1, 4.61 EUR per month')).toBeTruthy()
  expect(main.getByText(/no server belongs to it/)).toBeTruthy()
  const other = await item('Client A')
  expect(other.queryByText('Default')).toBeNull()
  expect(other.getByText('No server uses it')).toBeTruthy()
  expect(other.getByText('Not tested')).toBeTruthy()
  await user.click(other.getByRole('button', { name: 'Test Client A' }))
  expect(await other.findByText('Connected')).toBeTruthy()
  expect(other.getByText('The token works.')).toBeTruthy()
  expect(main.getByText('Not tested')).toBeTruthy()
})

test('another one is tested before it is stored, then stored with its label', async () => {
  const { user } = show()
  await user.click(within(await region()).getByRole('button', { name: 'Add another connection to Hetzner' }))
  const form = within(screen.getByRole('form', { name: 'New connection to Hetzner' }))
  const label = form.getByRole('textbox', { name: /Label/ })
  expect(document.activeElement).toBe(label)
  await user.type(label, 'Client B')
  await user.type(form.getByLabelText(/API token/), 'first')
  outcome = rejected
  await user.click(form.getByRole('button', { name: 'Test and save' }))
  expect((await form.findByRole('alert')).textContent).toContain('does not accept the key')
  expect(saves()).toEqual([])
  outcome = check
  await user.click(form.getByRole('button', { name: 'Test and save' }))
  await waitFor(() => expect(screen.queryByRole('form', { name: 'New connection to Hetzner' })).toBeNull())
  const values = { organization: 'acme', kind: 'Hetzner', label: 'Client B', hcloud_token: 'first' }
  expect(saves()).toMatchObject([{ verb: 'POST', body: values }])
  expect((await item('Client B')).getByText('Connected')).toBeTruthy()
  expect(document.activeElement?.textContent).toBe('Add')
})

test('the first one needs no label', async () => {
  rows = []
  const { user } = show()
  const card = within(await region())
  expect(card.getByText('Not connected')).toBeTruthy()
  expect(card.queryByRole('textbox', { name: /Label/ })).toBeNull()
  await user.type(card.getByLabelText(/API token/), 'first{Enter}')
  expect(await card.findByText('Connected')).toBeTruthy()
  expect(saves()).toMatchObject([{ verb: 'POST', body: { kind: 'Hetzner', hcloud_token: 'first' } }])
})

test('a label is changed without a test, and Cancel returns to the button', async () => {
  const { user } = show()
  const one = await item('Client A')
  const edit = () => user.click(one.getByRole('button', { name: 'Edit Client A' }))
  await edit()
  await user.click(await one.findByRole('button', { name: 'Cancel' }))
  expect(document.activeElement).toBe(one.getByRole('button', { name: 'Edit Client A' }))
  await edit()
  expect(await one.findByText(/Set on /)).toBeTruthy()
  const label = one.getByRole('textbox', { name: /Label/ })
  await user.clear(label)
  await user.type(label, 'Client C{Enter}')
  expect((await item('Client C')).getByText('Not tested')).toBeTruthy()
  expect(saves()).toMatchObject([{ verb: 'PUT', body: { label: 'Client C' } }])
  expect(api.calls.some(({ name }) => name === 'run_doc_method')).toBe(false)
})

test('another one is made the default; one that is used cannot be removed, others after a question', async () => {
  const { user } = show()
  const menu = async (label: string) => {
    await user.click((await item(label)).getByRole('button', { name: `More for ${label}` }))
    return within(await screen.findByRole('menu'))
  }
  await user.click((await menu('Client A')).getByRole('menuitem', { name: 'Make default' }))
  expect(await (await item('Client A')).findByText('Default')).toBeTruthy()
  expect((await item('Main')).queryByText('Default')).toBeNull()
  const used = (await menu('Main')).getByRole('menuitem', { name: /^Remove/ })
  expect(used.getAttribute('aria-disabled')).toBe('true')
  expect(used.textContent).toContain('2 servers use it')
  await user.keyboard('{Escape}')
  await user.click((await menu('Client A')).getByRole('menuitem', { name: 'Remove' }))
  const question = within(await screen.findByRole('alertdialog', { name: 'Remove Client A?' }))
  await user.click(question.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByRole('listitem', { name: 'Client A' })).toBeNull())
  expect(saves().at(-1)).toMatchObject({ name: 'resource/Connection/h2', verb: 'DELETE' })
})
