/** The values in a log entry are limited to the fields of the document that each reader may read. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootAcme, resourceCalls, type Acme } from '../acme.ts'
import type { Browser } from '../browser.ts'

const keys = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKEYOFTHEADMINS admin@acme.example'

let acme: Acme
let platformAdmin: Browser
beforeAll(async () => {
  acme = await bootAcme()
  await acme.booted.person('root@easydash.example', { platformAdmin: true })
  platformAdmin = await acme.booted.signedIn('root@easydash.example')
  const db = acme.owner.app.db()
  await db.updateDoc('Server', acme.server, { authorized_keys: keys, public_ipv4: '192.0.2.7' })
  await db.updateDoc('Organization', 'acme', { bucket_name: 'acme-backups', title: 'Acme Inc' })
})
afterAll(async () => {
  await acme.booted.close()
})

type Entry = { name: string; before: Record<string, unknown>; after: Record<string, unknown> }
const fields = ['name', 'before', 'after']
const entries = async (browser: Browser, action: string, doctype: string) =>
  (await resourceCalls(() => browser).rows(
    {
      fields,
      filters: [
        ['action', '=', action],
        ['reference_doctype', '=', doctype],
      ],
    },
    'Activity',
  )) as Entry[]

test('lists and documents leave out what only others read', async () => {
  const [own] = await entries(acme.owner, 'Server.update', 'Server')
  expect(own).toMatchObject({ before: { authorized_keys: null }, after: { authorized_keys: keys } })
  const [seen] = await entries(acme.manager, 'Server.update', 'Server')
  expect(seen).toMatchObject({ before: { public_ipv4: null }, after: { public_ipv4: '192.0.2.7' } })
  expect(JSON.stringify(seen)).not.toContain('authorized_keys')
  const doc = await acme.manager.app.db().getDoc('Activity', own?.name as string)
  expect(doc).toMatchObject({ after: { public_ipv4: '192.0.2.7' } })
  expect(JSON.stringify(doc)).not.toContain('authorized_keys')
  expect(await acme.owner.app.db().getDoc('Activity', own?.name as string)).toMatchObject({
    after: { authorized_keys: keys },
  })
})

test('the platform’s admin learns nothing of credentials', async () => {
  const [entry] = await entries(platformAdmin, 'Organization.update', 'Organization')
  expect(entry).toMatchObject({ after: { title: 'Acme Inc' } })
  expect(JSON.stringify(entry)).not.toContain('bucket')
})

test('exports, orders and groups know no more', async () => {
  const exported = await acme.manager.fetch('/api/method/easydash.api.activity.export', {
    method: 'POST',
    body: JSON.stringify({ format: 'jsonl' }),
    headers: { 'content-type': 'application/json', 'x-frappe-csrf-token': acme.manager.csrfToken ?? '' },
  })
  const file = await exported.text()
  expect(file).toContain('192.0.2.7')
  expect(file).not.toContain('KEYOFTHEADMINS')
  const { list } = resourceCalls(() => acme.manager)
  for (const query of [
    { filters: [['after', 'like', '%KEYOFTHEADMINS%']] },
    { order_by: 'after desc' },
    { fields: ['after'], group_by: 'after' },
    { fields: ['count(after) as n'] },
  ])
    expect(await list(query, 'Activity'), JSON.stringify(query)).toMatchObject({ status: 417 })
  const view = { doctype: 'Activity', distinct: '1', fields: JSON.stringify(['`tabActivity`.`after`']) }
  const distinct = await acme.manager.fetch(`/api/method/frappe.desk.reportview.get_list?${new URLSearchParams(view)}`)
  const text = await distinct.text()
  expect(distinct.status, text).toBe(200)
  expect(text).toContain('192.0.2.7')
  expect(text).not.toContain('KEYOFTHEADMINS')
})

test('the search of link fields knows no more either', async () => {
  for (const searchfield of ['after', 'before']) {
    const search = { doctype: 'Activity', txt: 'KEYOFTHEADMINS', searchfield }
    const found = await acme.manager.fetch(`/api/method/frappe.desk.search.search_link?${new URLSearchParams(search)}`)
    expect(await found.text()).not.toContain('authorized_keys')
    expect(found.status).toBe(417)
  }
})
