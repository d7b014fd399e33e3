/** The log is visible to those who may read the document itself, through every API, also after the document was deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tx } from '#server/contracts/transaction.ts'
import { renameUser } from '#server/features/accounts/rename-user.ts'
import { createViews } from '#server/features/views/views.ts'
import { boot, type Booted } from '../booted.ts'
import { resourceCalls } from '../acme.ts'
import type { Browser } from '../browser.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'

let booted: Booted
const people: Record<string, Browser> = {}
beforeAll(async () => {
  booted = await boot({ controllers: createViews().controllers ?? [] })
  await booted.organization('acme', {
    'admin@acme.example': 'Organization Admin',
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
    'other@acme.example': 'Organization User',
  })
  await booted.person('root@easydash.example', { platformAdmin: true })
  for (const name of ['owner', 'admin', 'manager', 'member', 'other'])
    people[name] = await booted.signedIn(`${name}@acme.example`)
  people['root'] = await booted.signedIn('root@easydash.example')
})
afterAll(async () => {
  await booted.close()
})

const browser = (name: string) => people[name] as Browser
const calls = (name: string) => resourceCalls(() => browser(name))
const inSystem = <T>(fn: (tx: Tx) => Promise<T>, user = 'System') =>
  booted.documents.transaction({ ...booted.system, user }, fn)
const nameOf = ({ body }: { body: Record<string, unknown> }) => (body['data'] as { name: string }).name

async function post(who: string, method: string, params: object): Promise<string> {
  const response = await browser(who).fetch(`/api/method/${method}`, {
    method: 'POST',
    body: JSON.stringify(params),
    headers: { 'content-type': 'application/json', 'x-frappe-csrf-token': browser(who).csrfToken ?? '' },
  })
  return response.text()
}
const message = async (who: string, method: string, params: object) =>
  (JSON.parse(await post(who, method, params)) as { message?: unknown }).message

const listed = async (who: string, name: string): Promise<boolean> =>
  JSON.stringify(
    await calls(who).list({ fields: ['*'], filters: [['reference_name', '=', name]] }, 'Activity'),
  ).includes(name)

/** Whether a user sees the log entries of a document, per API. */
const ways: Readonly<Record<string, (who: string, name: string, title: string) => Promise<boolean>>> = {
  list: listed,
  document: async (who, name) => {
    const entries = await inSystem((tx) => tx.list(ActivityDoctype, [['reference_name', '=', name]]))
    const responses = await Promise.all(entries.map((one) => calls(who).send('GET', `Activity/${one.name}`)))
    return responses.some(({ status }) => status === 200)
  },
  report: async (who, name) =>
    (
      await post(who, 'frappe.desk.reportview.get', {
        doctype: 'Activity',
        fields: ['reference_name'],
        filters: [['reference_name', '=', name]],
      })
    ).includes(name),
  count: async (who, name) =>
    Number(
      await message(who, 'frappe.client.get_count', { doctype: 'Activity', filters: [['reference_name', '=', name]] }),
    ) > 0,
  'count of a report': async (who, name) =>
    Number(
      await message(who, 'frappe.desk.reportview.get_count', {
        doctype: 'Activity',
        filters: { reference_name: name },
      }),
    ) > 0,
  group: async (who, _name, title) =>
    JSON.stringify(
      await calls(who).rows(
        { fields: ['reference_title', 'count(name) as n'], group_by: 'reference_title', limit: 500 },
        'Activity',
      ),
    ).includes(title),
  aggregate: async (who, name) =>
    JSON.stringify(
      await calls(who).rows({ fields: ['max(creation) as last'], filters: { reference_name: name } }, 'Activity'),
    ).includes('202'),
  search: async (who, _name, title) =>
    (await post(who, 'frappe.desk.search.search_link', { doctype: 'Activity', txt: title })).includes(title),
  export: async (who, _name, title) =>
    (
      await post(who, 'easydash.api.activity.export', {
        format: 'jsonl',
        filters: [['action', '!=', 'Activity.export']],
      })
    ).includes(title),
}

/** All users to whom the log shows the document, after checking that all APIs agree. */
async function seenBy(name: string, title: string): Promise<string[]> {
  const seen: string[] = []
  for (const who of Object.keys(people)) {
    const shown = await Promise.all(Object.values(ways).map((way) => way(who, name, title)))
    const asList = Object.keys(ways).filter((_way, at) => shown[at])
    expect([who, asList]).toEqual([who, asList.length === 0 ? [] : Object.keys(ways)])
    if (asList.length > 0) seen.push(who)
  }
  return seen
}

/** The same by the list alone, for states between those in which all APIs are compared. */
async function listedFor(name: string): Promise<string[]> {
  const seen = await Promise.all(Object.keys(people).map(async (who) => (await listed(who, name)) && who))
  return seen.filter((who) => who !== false)
}

describe('saved views', () => {
  const save = async (who: string, title: string, shared: 0 | 1) =>
    nameOf(await calls(who).send('POST', 'Saved View', { title, shared, reference_doctype: 'Site', filters: [] }))

  test('a private one is nobody else’s in the log either', async () => {
    const ofMember = await save('member', 'Divorce lawyer', 0)
    expect(await listedFor(ofMember)).toEqual([])
    const ofAdmin = await save('admin', 'Applications', 0)
    expect(await seenBy(ofAdmin, 'Applications')).toEqual(['admin'])
    await calls('admin').send('DELETE', `Saved%20View/${ofAdmin}`)
    expect(await listedFor(ofAdmin)).toEqual(['admin'])
    await calls('member').send('DELETE', `Saved%20View/${ofMember}`)
    expect(await seenBy(ofMember, 'Divorce lawyer')).toEqual([])
  })

  test('a shared one is shown to who reads it and the log, as long as it is shared, and after its end', async () => {
    const name = await save('member', 'Broken shops', 1)
    expect(await listedFor(name)).toEqual(['owner', 'admin'])
    await calls('member').send('PUT', `Saved%20View/${name}`, { shared: 0 })
    expect(await listedFor(name)).toEqual([])
    await calls('member').send('PUT', `Saved%20View/${name}`, { shared: 1 })
    await calls('member').send('DELETE', `Saved%20View/${name}`)
    expect(await seenBy(name, 'Broken shops')).toEqual(['owner', 'admin'])
  })

  test('a user with a new address keeps the shared data, and the old address gives no access', async () => {
    const name = await save('admin', 'Salaries', 0)
    await calls('admin').send('DELETE', `Saved%20View/${name}`)
    await inSystem((tx) => renameUser(tx, 'admin@acme.example', 'renamed@acme.example'))
    people['admin'] = await booted.signedIn('renamed@acme.example')
    expect(await listedFor(name)).toEqual(['admin'])
  })
})

describe('sites', () => {
  const make = (owner: string, domain: string) =>
    inSystem(async (tx) => {
      const { name: server } = await tx.insert(ServerDoctype, { organization: 'acme', hostname: `${domain}.test` })
      const values = { organization: 'acme', server, domain, site_type: 'html', status: 'Live' }
      return (await tx.insert('Site', values, { owner: `${owner}@acme.example` })).name
    })

  test('those who could read it at its end go on reading what became of it', async () => {
    await inSystem((tx) =>
      tx.update(OrganizationDoctype, 'acme', { site_limit_override: '0', server_limit_override: '0' }),
    )
    const name = await make('member', 'gone-blog')
    const everybodyElse = ['owner', 'admin', 'manager']
    expect(await listedFor(name)).toEqual([...everybodyElse, 'member', 'root'])
    const share = { organization: 'acme', share_doctype: 'Site', share_name: name, read: 1 }
    await inSystem((tx) => tx.insert('DocShare', { ...share, user: 'other@acme.example' }, { activity: false }))
    const all = [...everybodyElse, 'member', 'other', 'root']
    expect(await seenBy(name, 'gone-blog')).toEqual(all)
    await inSystem((tx) => tx.delete(SiteDoctype, name))
    expect(await seenBy(name, 'gone-blog')).toEqual(all)
    const another = await make('manager', 'gone-shop')
    await inSystem((tx) => tx.delete(SiteDoctype, another))
    expect(await listedFor(another)).toEqual([...everybodyElse, 'root'])
  })

  test('who may only see a site does not learn with whom it is shared, nor from which address', async () => {
    const name = await make('member', 'shared-blog')
    const share = { organization: 'acme', share_doctype: 'Site', share_name: name, read: 1 }
    await inSystem((tx) => tx.insert('DocShare', { ...share, user: 'other@acme.example' }, { activity: false }))
    const about = { organization: 'acme', reference_doctype: 'Site', reference_name: name }
    const third = 'third@acme.example'
    await booted.documents.transaction({ ...booted.system, ip: '203.0.113.9' }, async (tx) => {
      await tx.activity({ ...about, action: 'Site.share', detail: msg`with ${third}`, after: { user: third } })
      await tx.activity({ ...about, action: 'Site.archive', detail: msg`for later` })
    })
    const entries = await inSystem((tx) => tx.list(ActivityDoctype, [['reference_name', '=', name]]))
    const seen = async (who: string) => {
      const rows = await calls(who).rows({ fields: ['*'], filters: about, limit: 0 }, 'Activity')
      const docs = await Promise.all(entries.map((one) => calls(who).send('GET', `Activity/${one.name}`)))
      const csv = await post(who, 'easydash.api.activity.export', { format: 'csv' })
      return ['203.0.113.9', third, 'for later'].map((text) =>
        [rows, docs.map(({ body }) => body), csv].map((all) => JSON.stringify(all).includes(text)),
      )
    }
    const [yes, no] = [
      [true, true, true],
      [false, false, false],
    ]
    for (const who of ['owner', 'admin']) expect([who, await seen(who)]).toEqual([who, [yes, yes, yes]])
    for (const who of ['manager', 'member']) expect([who, await seen(who)]).toEqual([who, [no, yes, yes]])
    expect(await seen('other')).toEqual([no, no, yes])
    expect(await seen('root')).toEqual([yes, no, yes])
    for (const query of [
      { filters: [['detail', 'like', `%${third}%`]] },
      { filters: [['ip', '=', '203.0.113.9']] },
      { order_by: 'detail asc' },
      { fields: ['detail', 'count(name) as n'], group_by: 'detail' },
    ])
      expect((await calls('other').list(query, 'Activity')).status).toBe(417)
  })
})

test('billing is the owner’s and the platform admin’s, in the log as well', async () => {
  await inSystem((tx) => tx.update(BillingProfileDoctype, 'acme', { city: 'Rome' }))
  const rows = async (who: string) =>
    (await calls(who).rows({ filters: { reference_doctype: 'Billing Profile' } }, 'Activity')) as unknown[]
  expect(await Promise.all(['owner', 'root', 'admin', 'manager'].map(async (who) => (await rows(who)).length))).toEqual(
    [1, 1, 0, 0],
  )
})

test('a token sees of the log what its other scopes let it see', async () => {
  const make = async (scopes: string[]) => {
    const made = (await message('owner', 'easydash.api.tokens.create', {
      title: 'x',
      organization: 'acme',
      scopes,
    })) as {
      token: string
    }
    return `token ${made.token}`
  }
  const doctypesSeen = async (authorization: string) => {
    const url = new URL('/api/resource/Activity?fields=["reference_doctype"]&limit=0', booted.url)
    const response = await fetch(url, { headers: { authorization } })
    const { data } = (await response.json()) as { data: { reference_doctype: string | null }[] }
    return [...new Set(data.map((row) => row.reference_doctype ?? ''))].filter(Boolean).toSorted()
  }
  expect(await doctypesSeen(await make(['activity:read']))).toEqual(['Activity'])
  const sites = await doctypesSeen(await make(['activity:read', 'sites:read']))
  expect(sites).toContain('Site')
  expect(sites).not.toContain('Server')
  expect(sites).not.toContain('API Token')
  expect(await doctypesSeen(await make(['activity:read', 'members:read']))).not.toContain('Site')
})
