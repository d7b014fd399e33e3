/** One organization at a time: what a member of two organizations sees of the one that is not chosen (decision 11). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
let both: Browser
beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', { 'both@example.com': 'Organization Manager' })
  await booted.organization('globex')
  await booted.organization('initech')
  await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      ...{ parent: 'globex', parenttype: 'Organization', parentfield: 'members' },
      ...{ user: 'both@example.com', organization_role: 'Organization Admin' },
    }),
  )
  for (const name of ['acme', 'globex'])
    await booted.documents.transaction(booted.system, (tx) =>
      tx.update(OrganizationDoctype, name, { client_id: `client of ${name}` }),
    )
  both = await booted.signedIn('both@example.com')
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const metadata = async () =>
  (
    await both.app
      .call()
      .get<{ message: { org_slug: string; available_orgs: unknown[] } }>('get_current_user_organization_metadata')
  ).message
const choose = (organization: string) => both.app.call().post('switch_organization', { organization })

it('the switcher has names and titles of all own organizations, wherever the person works', async () => {
  for (const slug of ['acme', 'globex']) {
    await choose(slug)
    expect(await metadata()).toMatchObject({
      org_slug: slug,
      available_orgs: [
        { name: 'acme', title: 'acme', role: 'Organization Manager' },
        { name: 'globex', title: 'globex', role: 'Organization Admin' },
      ],
    })
  }
})

it('the other one answers like a stranger’s and like none: reading, writing, acting, attaching', async () => {
  await choose('acme')
  const db = both.app.db()
  const calls = (name: string): Promise<unknown>[] => [
    db.getDoc('Organization', name),
    db.updateDoc('Organization', name, { title: 'Mine' }),
    db.deleteDoc('Organization', name),
    both.app.call().post('frappe.client.get', { doctype: 'Organization', name }),
    both.app.call().post('run_doc_method', { dt: 'Organization', dn: name, method: 'list_invitations' }),
    both.app.call().post('run_doc_method', { dt: 'Organization', dn: name, method: 'leave' }),
    both.app.call().post('frappe.client.attach_file', {
      ...{ doctype: 'Organization', docname: name, filename: 'a.txt', filedata: 'a' },
    }),
  ]
  const responses = async (name: string) =>
    JSON.stringify(await Promise.all(calls(name).map(sdkError))).replaceAll(name, 'NAME')
  const own = await responses('globex')
  expect(own).toBe(await responses('initech'))
  expect(own).toBe(await responses('nothing'))
  expect(JSON.parse(own)).toMatchObject(Array.from({ length: 7 }, () => ({ httpStatus: 404 })))
})

it('the chosen one opens with the role there, and with no other', async () => {
  await choose('globex')
  expect(await both.app.db().getDoc('Organization', 'globex')).toMatchObject({ client_id: 'client of globex' })
  expect(await sdkError(both.app.db().getDoc('Organization', 'acme'))).toMatchObject({ httpStatus: 404 })
  await choose('acme')
  expect(await both.app.db().getDoc('Organization', 'acme')).not.toHaveProperty('client_id')
})
