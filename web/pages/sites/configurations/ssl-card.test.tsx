import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { SslCard } from './ssl-card.tsx'

const api = apiServer()
const valid = {
  ...{ kind: 'le', state: 'valid', issuer: "Let's Encrypt", names: ['shop.example'], fixed: null },
  from: '2026-11-01 00:00:00.000000',
  until: '2027-01-30 00:00:00.000000',
  renews: '2026-12-26 00:00:00.000000',
}
const off = { ...valid, kind: null, state: 'off', issuer: null, names: [], from: null, until: null, renews: null }
let found: object = valid

beforeEach(() => {
  found = valid
  const needed = Object.values<Action>(SiteDoctype.actions ?? {}).flatMap(({ capability }) => capability ?? [])
  const capabilities = Object.fromEntries(needed.map((name) => [name, { supported: true }]))
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  api.on('run_doc_method', ({ body }) => ({ message: body['method'] === 'set_certificate' ? { job: 'j1' } : found }))
})

function setup(site: object = {}) {
  const doc = { name: 's1', domain: 'shop.example', status: 'Live', server: 'srv', site_type: 'wp', ...site }
  return renderAs(owner, <SslCard site={doc as unknown as Site} />)
}

test('shows what the server has, and what can be done', async () => {
  const { user } = setup({ ssl: 'le' })
  const card = await screen.findByRole('region', { name: 'SSL certificate' })
  await within(card).findByText('Valid')
  for (const text of ["Let's Encrypt", 'shop.example', 'Renews', 'Expires']) within(card).getByText(text)
  const buttons = within(card)
    .getAllByRole('button')
    .map((one) => one.textContent)
  expect(buttons).toEqual([
    'Use a self-signed certificate…',
    'Inherit from the parent domain…',
    'Use a custom certificate…',
    'Turn off SSL…',
  ])
  await user.click(screen.getByRole('button', { name: 'Turn off SSL…' }))
  const question = await screen.findByRole('alertdialog', { name: 'Turn off SSL · shop.example' })
  within(question).getByRole('button', { name: 'Turn off SSL' })
})

test.each([
  [{ ...off, kind: 'le', state: 'missing' }, {}, /there is none/, 'Get it again…'],
  [off, { ssl_problem: 'The name does not resolve.' }, /last attempt failed. The name does not/, 'Use Let’s Encrypt…'],
  [{ ...valid, state: 'expired' }, {}, /has expired/, 'Get it again…'],
  [{ ...valid, kind: 'inherit', state: 'ends_soon' }, {}, /Renew it there/, 'Use Let’s Encrypt…'],
])('says what is wrong, with the next step', async (state, site, problem, button) => {
  found = state
  setup(site)
  expect(await screen.findByText(problem)).toBeTruthy()
  screen.getByRole('button', { name: button })
})

test('a certificate that the server cannot change is replaced by a custom one only', async () => {
  found = { ...valid, kind: 'self', renews: null, fixed: 'EasyEngine cannot change it.' }
  const { user } = setup({ ssl: 'self' })
  await screen.findByText('EasyEngine cannot change it.')
  expect(screen.getAllByRole('button').map((one) => one.textContent)).toEqual(['Use a custom certificate…'])
  await user.click(screen.getByRole('button', { name: 'Use a custom certificate…' }))
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByLabelText('Certificate'), 'PEM')
  await user.type(within(dialog).getByLabelText('Private key'), 'KEY')
  await user.click(within(dialog).getByRole('button', { name: 'Install certificate' }))
  expect(api.calls.findLast(({ body }) => body['method'] === 'set_certificate')?.body['args']).toEqual({
    certificate: 'PEM',
    key: 'KEY',
  })
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
