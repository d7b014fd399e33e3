/** Saved list views: private, or shared with the organization; only their owner can change them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxSavedViews } from '#shared/doctypes/saved-view.ts'
import { createViews } from '#server/features/views/views.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { resourceCalls } from '../acme.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let stranger: Browser
beforeAll(async () => {
  booted = await boot({ controllers: createViews().controllers ?? [] })
  await booted.organization('acme', { 'manager@acme.example': 'Organization Manager' })
  await booted.organization('globex')
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
})
afterAll(async () => {
  await booted.close()
})

const { send } = resourceCalls(() => owner)
const draft = { reference_doctype: 'Site', filters: [['status', '=', 'Failed']], order_by: 'domain asc' }
const save = (values: object, browser = owner) => send('POST', 'Saved View', { ...draft, ...values }, browser)
const titles = async (browser: Browser) =>
  ((await resourceCalls(() => browser).rows({ fields: ['title'] }, 'Saved View')) as { title: string }[]).map(
    ({ title }) => title,
  )
const nameOf = ({ body }: { body: Record<string, unknown> }) => (body['data'] as { name: string }).name

test('is its maker’s alone until it is shared, and stays its maker’s to change', async () => {
  const made = await save({ title: '  Broken \n \u202Esites ' })
  expect(made).toMatchObject({
    status: 200,
    body: { data: { title: 'Broken sites', shared: 0, organization: 'acme' } },
  })
  const name = nameOf(made)
  expect(await titles(owner)).toEqual(['Broken sites'])
  expect(await titles(manager)).toEqual([])
  expect(await send('PUT', `Saved%20View/${name}`, { shared: 1 }, manager)).toMatchObject({ status: 403 })
  expect(await send('PUT', `Saved%20View/${name}`, { shared: 1 })).toMatchObject({ status: 200 })
  expect(await titles(manager)).toEqual(['Broken sites'])
  expect(await titles(stranger)).toEqual([])
  expect(await send('PUT', `Saved%20View/${name}`, { title: 'Mine' }, manager)).toMatchObject({ status: 403 })
  expect(await send('DELETE', `Saved%20View/${name}`, undefined, manager)).toMatchObject({ status: 403 })
  expect(await send('DELETE', `Saved%20View/${name}`, undefined, stranger)).toMatchObject({ status: 404 })
  expect(await send('DELETE', `Saved%20View/${name}`)).toMatchObject({ status: 202 })
  expect(await titles(manager)).toEqual([])
})

test('filters are given out as filter items, too', async () => {
  const filters = [
    ['status', '=', 'Failed'],
    ['php_version', 'in', ['8.3', '8.4']],
  ]
  const name = nameOf(await save({ title: 'Items', filters }))
  const items = async () =>
    ((await send('GET', `Saved%20View/${name}`)).body['data'] as { filter_items: unknown }).filter_items
  expect(await items()).toEqual([
    { key: 'status =', name: 'Status', filter: filters[0] },
    { key: 'php_version in', name: 'PHP', filter: filters[1] },
  ])
  await send('PUT', `Saved%20View/${name}`, { filters: [] })
  expect(await items()).toEqual([])
  await send('DELETE', `Saved%20View/${name}`)
})

test.each([
  ['title', { title: '  ' }],
  ['title', { title: '\u200B\u202E' }],
  ['reference_doctype', { title: 'x', reference_doctype: 'Nothing' }],
  ['filters', { title: 'x', filters: [['nope', '=', 1]] }],
  ['filters', { title: 'x', filters: [['admin_password', 'is', 'set']] }],
  ['filters', { title: 'x', filters: [['engine_host', '=', 'a']] }],
  ['filters', { title: 'x', filters: { status: 'Live' } }],
  ['filters', { title: 'x', filters: [['status', 'drop', 'Live']] }],
  ['any_filters', { title: 'x', any_filters: 'x' }],
  ['order_by', { title: 'x', order_by: 'version()' }],
  ['columns', { title: 'x', columns: ['domain', 'admin_password'] }],
  ['columns', { title: 'x', columns: 'domain' }],
])('refuses what no list could show: %s', async (field, values) => {
  expect(await save(values)).toMatchObject({ status: 417, body: { field } })
})

test('is of the list of users, too, which is no document', async () => {
  const people = { title: 'Admins', reference_doctype: 'Person', order_by: 'added desc' }
  const filters = [['organization_role', '=', 'Organization Admin']]
  const made = await save({ ...people, filters, columns: ['member', 'status'] })
  expect(made).toMatchObject({ status: 200 })
  await send('DELETE', `Saved%20View/${nameOf(made)}`)
  expect(await save({ ...people, filters: [['password', 'is', 'set']] })).toMatchObject({
    status: 417,
    body: { field: 'filters' },
  })
})

test('goes with its maker, and there are not endlessly many', async () => {
  await booted.person('leaver@acme.example')
  const row = await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'leaver@acme.example',
      organization_role: 'Organization User',
    }),
  )
  const leaver = await booted.signedIn('leaver@acme.example')
  for (let at = 0; at < maxSavedViews; at += 1)
    expect((await save({ title: `View ${at}`, shared: at === 0 ? 1 : 0 }, leaver)).status).toBe(200)
  expect(await save({ title: 'One more' }, leaver)).toMatchObject({ status: 417, body: { code: 'limit_reached' } })
  expect(await titles(owner)).toEqual(['View 0'])
  await booted.documents.transaction(booted.system, (tx) => tx.delete(OrganizationMemberDoctype, row.name))
  expect(await titles(owner)).toEqual([])
})
