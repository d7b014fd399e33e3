/** `favorite` of sites and servers: personal to each user, set by a normal write, invisible to others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootAcme, makeSite, resourceCalls, type Acme } from '../acme.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let acme: Acme
let member: Browser
let site: string
let shared: string
beforeAll(async () => {
  acme = await bootAcme()
  const { booted } = acme
  site = await makeSite(acme)
  shared = await booted.documents.transaction(booted.system, async (tx) => {
    await booted.person('member@acme.example')
    await tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'member@acme.example',
      organization_role: 'Organization User',
    })
    const made = await tx.insert(SiteDoctype, {
      organization: 'acme',
      server: acme.server,
      domain: 'shared.acme.test',
      site_type: 'html',
    })
    await tx.insert(DocShareDoctype, {
      organization: 'acme',
      share_doctype: 'Site',
      share_name: made.name,
      user: 'member@acme.example',
      read: 1,
    })
    return made.name
  })
  member = await booted.signedIn('member@acme.example')
})
afterAll(async () => {
  await acme.booted.close()
})

const { send } = resourceCalls(() => acme.owner)
const mark = (browser: Browser, name: string, favorite: unknown, doctype = 'Site') =>
  send('PUT', `${doctype}/${name}`, { favorite }, browser)
const marked = async (browser: Browser, doctype = 'Site') => {
  const { rows } = resourceCalls(() => browser)
  return (
    (await rows({ fields: ['name'], filters: { favorite: 1 }, order_by: 'creation asc' }, doctype)) as object[]
  ).map((row) => (row as { name: string }).name)
}

test('is each person’s own: marked, listed, counted, sorted and unmarked', async () => {
  expect(await mark(acme.owner, site, 1)).toMatchObject({ status: 200, body: { data: { name: site, favorite: 1 } } })
  expect(await mark(acme.owner, site, true)).toMatchObject({ status: 200 })
  expect(await marked(acme.owner)).toEqual([site])
  expect(await marked(acme.manager)).toEqual([])
  const db = acme.owner.app.db()
  expect(await db.getDoc('Site', site)).toMatchObject({ favorite: 1 })
  expect(await acme.manager.app.db().getDoc('Site', site)).toMatchObject({ favorite: 0 })
  expect(await db.getCount('Site', [['favorite', '=', 1]])).toBe(1)
  const { rows } = resourceCalls(() => acme.owner)
  expect(await rows({ fields: ['name', 'favorite'], order_by: 'favorite desc' }, 'Site')).toEqual([
    { name: site, favorite: 1 },
    { name: shared, favorite: 0 },
  ])
  expect(await rows({ fields: ['favorite', 'count(name) as n'], group_by: 'favorite' }, 'Site')).toEqual([
    { favorite: 0, n: 1 },
    { favorite: 1, n: 1 },
  ])
  const before = (await db.getDoc('Site', site)).modified
  expect(await mark(acme.owner, site, 0)).toMatchObject({ status: 200, body: { data: { favorite: 0 } } })
  expect(await marked(acme.owner)).toEqual([])
  // Marking a favorite does not change the document.
  expect((await db.getDoc('Site', site)).modified).toBe(before)
})

test('needs the right to read, no more', async () => {
  expect(await mark(member, shared, 1)).toMatchObject({ status: 200, body: { data: { favorite: 1 } } })
  expect(await marked(member)).toEqual([shared])
  expect(await send('PUT', `Site/${shared}`, { favorite: 1, title: 'Mine' }, member)).toMatchObject({ status: 403 })
  expect(await mark(member, site, 1)).toMatchObject({ status: 403 })
  const foreign = await mark(acme.stranger, site, 1)
  const missing = await mark(acme.stranger, 'zzzzzzzzzz', 1)
  expect([foreign.status, missing.status]).toEqual([404, 404])
  expect((await mark(acme.booted.browser(), site, 1)).status).toBe(403)
  expect(await marked(acme.owner)).toEqual([])
})

test('goes along with an allowed write, and is a 0 or a 1', async () => {
  expect(await send('PUT', `Site/${site}`, { favorite: 1, title: 'Shop' })).toMatchObject({
    status: 200,
    body: { data: { favorite: 1, title: 'Shop' } },
  })
  expect(await mark(acme.owner, site, 'soon')).toMatchObject({ status: 417 })
  expect(await marked(acme.owner)).toEqual([site])
})

test('is nothing to search in', async () => {
  const search = new URLSearchParams({ doctype: 'Site', txt: '1', searchfield: 'favorite' })
  const response = await acme.owner.fetch(`/api/method/frappe.desk.search.search_link?${search}`)
  expect(response.status).toBe(417)
  await response.body?.cancel()
})

test('holds for servers too, and for the linked one', async () => {
  expect(await mark(acme.manager, acme.server, 1, 'Server')).toMatchObject({ status: 200 })
  expect(await marked(acme.manager, 'Server')).toEqual([acme.server])
  const linked = { fields: ['domain', 'server.favorite as starred'], filters: { name: site } }
  expect(await resourceCalls(() => acme.manager).rows(linked, 'Site')).toMatchObject([{ starred: 1 }])
  expect(await resourceCalls(() => acme.owner).rows(linked, 'Site')).toMatchObject([{ starred: 0 }])
})

test('ends with the document', async () => {
  const { documents, system } = acme.booted
  const name = (
    await documents.transaction(system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'short.acme.test', status: 'Healthy' }),
    )
  ).name
  await mark(acme.owner, name, 1, 'Server')
  expect(await marked(acme.owner, 'Server')).toEqual([name])
  await documents.transaction(system, (tx) => tx.delete(ServerDoctype, name))
  const left = await documents.transaction(system, async (tx) =>
    tx.trx.selectFrom('easydash_personal').selectAll().where('name', '=', name).execute(),
  )
  expect(left).toEqual([])
})
