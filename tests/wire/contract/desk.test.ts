/** Section 7 of the wire contract: reports, link search, document methods. One case per row and rule. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server as ServerDoc } from '#shared/doctypes/server.ts'

let booted: Acme['booted']
let owner: Browser
let manager: Browser
let member: Browser
let stranger: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, manager, stranger, server } = await bootAcme())
  member = await booted.signedIn('member@acme.example')
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

type MethodResponse<T = Record<string, unknown>> = { message: T; docs?: Record<string, unknown>[] }
interface Report {
  keys: string[]
  values: unknown[][]
  user_info: object
}
const post = <T>(method: string, params: object, browser = owner) =>
  browser.app.call().post<MethodResponse<T>>(method, params)
const get = <T>(method: string, params: object, browser = owner) =>
  browser.app.call().get<MethodResponse<T>>(method, params)

describe('section 7: reportview', () => {
  const report = (params: object, browser?: Browser) =>
    post<Report>('frappe.desk.reportview.get', { doctype: 'Server', ...params }, browser)

  it('get: keys and rows of values in their order, by POST and GET', async () => {
    const params = {
      fields: ['`tabServer`.`name`', 'hostname as host', '`tabServer`.status'],
      filters: [['Server', 'status', '=', 'Healthy']],
      order_by: '`tabServer`.`modified` desc',
      page_length: 8,
      start: 0,
      view: 'List',
      user: 'x',
      join: 'x',
      ignore_permissions: 1,
      data: '[]',
      with_comment_count: 1,
      save_user_settings: 1,
      add_total_row: 1,
    }
    const expected = {
      message: { keys: ['name', 'host', 'status'], values: [[server, 'one.acme.test', 'Healthy']], user_info: {} },
    }
    expect(await report(params)).toEqual(expected)
    expect(await get('frappe.desk.reportview.get', { doctype: 'Server', ...params })).toEqual(expected)
  })

  it('get: no rows is the same object, empty', async () => {
    expect(await report({ filters: { status: 'Failed' } })).toEqual({
      message: { keys: [], values: [], user_info: {} },
    })
    expect(await report({}, stranger)).toEqual({ message: { keys: [], values: [], user_info: {} } })
  })

  it('get: start and page_length, 20 without one', async () => {
    const { message } = await report({ fields: ['hostname'], order_by: 'hostname asc', start: 1, page_length: 1 })
    expect(message.values).toEqual([['three.acme.test']])
    await booted.documents.transaction(booted.system, async (tx) => {
      for (let at = 0; at < 25; at += 1)
        await tx.insert(
          ServerDoctype,
          { organization: 'acme', hostname: `many${at}.acme.test`, status: 'Failed' },
          { activity: false },
        )
    })
    const failed = { filters: { status: 'Failed' } }
    expect((await report(failed)).message.values).toHaveLength(20)
    expect((await report({ ...failed, page_length: 0 })).message.values).toHaveLength(25)
    expect((await sdkError(report({ page_length: -1 }))).httpStatus).toBe(417)
    await booted.documents.transaction(booted.system, async (tx) => {
      for (const { name } of await tx.list(ServerDoctype, [['status', '=', 'Failed']]))
        await tx.delete(ServerDoctype, name)
    })
  })

  it('get: aggregate_function over a group, distinct rows', async () => {
    const grouped = { fields: ['status'], group_by: 'status', order_by: 'status', aggregate_on_doctype: 'Server' }
    expect((await report({ ...grouped, aggregate_function: 'count' })).message).toMatchObject({
      keys: ['status', '_aggregate_column'],
      values: [
        ['Degraded', 2],
        ['Healthy', 1],
      ],
    })
    expect(
      (await report({ ...grouped, aggregate_function: 'sum', aggregate_on_field: 'docstatus' })).message.values,
    ).toEqual([
      ['Degraded', 0],
      ['Healthy', 0],
    ])
    // What is counted is what is named: rows that have the field. Unknown and unreadable fields are refused alike.
    const counted = { ...grouped, aggregate_function: 'count' }
    expect((await report({ ...counted, aggregate_on_field: 'public_ipv4' })).message.values).toEqual([
      ['Degraded', 0],
      ['Healthy', 0],
    ])
    for (const aggregate_on_field of ['nothing', 'ssh_private_key']) {
      const error = await sdkError(report({ ...counted, aggregate_on_field }))
      expect(error).toMatchObject({ httpStatus: 417, exc_type: 'DataError' })
      expect(await sdkError(report({ aggregate_function: 'count', aggregate_on_field }))).toMatchObject({
        httpStatus: 417,
      })
    }
    expect((await report({ fields: ['status'], aggregate_function: 'count' })).message).toMatchObject({
      keys: ['_aggregate_column'],
      values: [[3]],
    })
    expect((await sdkError(report({ ...grouped, aggregate_function: 'drop' }))).httpStatus).toBe(417)
    expect(
      (await sdkError(report({ ...grouped, aggregate_function: 'count', aggregate_on_doctype: 'User' }))).exc_type,
    ).toBe('DataError')
    expect((await report({ fields: ['status'], distinct: true, order_by: 'status desc' })).message.values).toEqual([
      ['Healthy'],
      ['Degraded'],
    ])
    expect(
      (await report({ fields: ['name', 'status'], distinct: 1, order_by: 'modified desc' })).message.values,
    ).toHaveLength(3)
  })

  it('get: what the caller may not read is left out; unknown is 417', async () => {
    const params = { doctype: 'Organization', fields: ['title', 'client_id'] }
    expect((await report(params, manager)).message.keys).toEqual(['title'])
    expect((await sdkError(report({ fields: ['nope'] }))).exc_type).toBe('DataError')
  })

  it('get_list: a list of objects; get_count: a number', async () => {
    const params = { doctype: 'Server', fields: ['hostname'], filters: { name: server } }
    expect(await post('frappe.desk.reportview.get_list', params)).toEqual({ message: [{ hostname: 'one.acme.test' }] })
    expect(await post('frappe.desk.reportview.get_count', params)).toEqual({ message: 1 })
    expect(await post('frappe.desk.reportview.get_count', { doctype: 'Server' }, stranger)).toEqual({ message: 0 })
  })
})

describe('section 7: search_link', () => {
  interface Found {
    value: string
    description: string
    label?: string
  }
  const search = async (params: object, browser?: Browser) =>
    (await post<Found[]>('frappe.desk.search.search_link', { doctype: 'Server', ...params }, browser)).message

  it('value, description and label of what holds the text, in any case; prefixes first', async () => {
    const [first] = await search({
      txt: ' ONE ',
      page_length: 5,
      ignore_user_permissions: 1,
      reference_doctype: 'Site',
    })
    expect(first).toMatchObject({ value: server, label: 'one.acme.test', description: expect.any(String) as unknown })
    await owner.app.db().createDoc('Server', { hostname: 'a-two.acme.test', organization: 'acme' })
    expect((await search({ txt: 'two' })).map(({ label }) => label)).toEqual(['two.acme.test', 'a-two.acme.test'])
    expect((await search({ txt: 'acme' })).map(({ label }) => label)).toEqual([
      'a-two.acme.test',
      'one.acme.test',
      'three.acme.test',
      'two.acme.test',
    ])
    expect(await search({ txt: '%' })).toEqual([])
  })

  it('GET as useSearch sends it: filters as JSON text', async () => {
    const { message } = await get<Found[]>('frappe.desk.search.search_link', {
      doctype: 'Server',
      page_length: 20,
      txt: 'acme',
      filters: JSON.stringify([['status', '=', 'Healthy']]),
    })
    expect(message.map(({ value }) => value)).toEqual([server])
  })

  it('for the server of a site: healthy ones that no job has locked, also for members, who cannot read the lock', async () => {
    const values = async (browser: Browser, more: object = {}) =>
      (await search({ txt: '', reference_doctype: 'Site', ...more }, browser)).map(({ value }) => value)
    const set = (patch: Partial<ServerDoc>) =>
      booted.documents.transaction(booted.system, (tx) =>
        tx.update(ServerDoctype, server, patch, { hooks: false, activity: false }),
      )
    expect(await values(owner)).toEqual([server])
    // Members use development servers only.
    expect(await values(member)).toEqual([])
    await set({ server_category: 'development' })
    expect(await values(member)).toEqual([server])
    // By its engine as well, which they cannot read, but what they make can need it.
    const by = (engine: string, more: object = {}) => ({ filters: [['engine', '=', engine]], ...more })
    expect(await values(member, by('ee'))).toEqual([server])
    expect(await values(member, by('local'))).toEqual([])
    for (const linking of ['Job', '__proto__'])
      expect((await sdkError(values(member, by('ee', { reference_doctype: linking })))).httpStatus).toBe(417)
    const filters = [['public_ipv4', 'is', 'set']]
    expect((await sdkError(values(member, { filters }))).httpStatus).toBe(417)
    const job = await booted.documents.transaction(booted.system, (tx) =>
      tx.insert(JobDoctype, { organization: 'acme', job_type: 'test', label: 'Test' }),
    )
    await set({ locked_by_job: job.name })
    expect(await values(owner)).toEqual([])
    expect(await values(manager)).toEqual([])
    expect(await values(member)).toEqual([])
    await set({ locked_by_job: null, server_category: 'production' })
    expect(await values(manager)).toEqual([server])
  })

  it('never past the organization, whatever is asked', async () => {
    expect(await search({ txt: 'acme', ignore_user_permissions: 1 }, stranger)).toEqual([])
    expect(await search({ txt: '@', doctype: 'User', ignore_user_permissions: 1 }, stranger)).toMatchObject([
      { value: 'owner@globex.example' },
    ])
  })

  it('txt is required, searchfield is a field, query is nothing', async () => {
    expect(await sdkError(search({}))).toMatchObject({ httpStatus: 417, field: 'txt' })
    expect(await sdkError(search({ txt: ['x'] }))).toMatchObject({ httpStatus: 417, exc_type: 'FrappeTypeError' })
    for (const searchfield of ['name; drop', "x'", 'nope', 'organization.hcloud_token'])
      expect(await sdkError(search({ txt: 'x', searchfield }))).toMatchObject({
        httpStatus: 417,
        exc_type: 'DataError',
      })
    expect(await search({ txt: 'one.acme', searchfield: 'hostname', query: 'frappe.utils.execute' })).toHaveLength(1)
    expect((await search({ txt: 'acme', page_length: '1' })).length).toBe(1)
  })
})

describe('section 7: run_doc_method', () => {
  const run = (params: object, browser?: Browser) => post('run_doc_method', params, browser)

  it('docs (text or object) or dt and dn; docs and message in the answer', async () => {
    const doc = await owner.app.db().getDoc('Server', server)
    for (const params of [
      { docs: JSON.stringify(doc), method: 'refresh_facts' },
      { docs: doc, method: 'refresh_facts', args: '{}' },
      { dt: 'Server', dn: server, method: 'refresh_facts' },
    ]) {
      const response = await run(params)
      expect(response.docs).toMatchObject([{ doctype: 'Server', name: server }])
      expect(response.message).toMatchObject({ ran: 'refresh_facts' })
    }
  })

  it('works on the stored document, never on what was sent', async () => {
    const doc = await owner.app.db().getDoc('Server', server)
    const { docs } = await run({
      docs: { ...doc, hostname: 'forged.acme.test', organization: 'globex', owner: 'x' },
      method: 'refresh_facts',
    })
    expect(docs).toMatchObject([{ hostname: 'one.acme.test', organization: 'acme' }])
    expect(await owner.app.db().getDoc('Server', server)).toMatchObject({ hostname: 'one.acme.test' })
  })

  it('stale 417, not declared 403, foreign and missing 404', async () => {
    const stale = { doctype: 'Server', name: server, modified: '2001-01-01 00:00:00.000000' }
    expect(await sdkError(run({ docs: stale, method: 'refresh_facts' }))).toMatchObject({
      httpStatus: 417,
      exc_type: 'TimestampMismatchError',
    })
    for (const method of ['save', 'delete', 'toString', '__proto__', 'as_dict'])
      expect((await sdkError(run({ dt: 'Server', dn: server, method }))).httpStatus).toBe(403)
    for (const [browser, dn] of [
      [stranger, server],
      [owner, 'nope'],
    ] as const)
      expect((await sdkError(run({ dt: 'Server', dn, method: 'refresh_facts' }, browser))).httpStatus).toBe(404)
    expect(await sdkError(run({ dt: 'Server', dn: server }))).toMatchObject({ httpStatus: 417, field: 'method' })
    expect((await body(owner, `/api/method/run_doc_method?dt=Server&dn=${server}&method=refresh_facts`)).status).toBe(
      403,
    )
  })
})
