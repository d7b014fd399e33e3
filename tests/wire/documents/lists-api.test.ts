import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let stranger: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, stranger, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

describe('lists', () => {
  it('gives names by default, fields on request, totals by count', async () => {
    const db = owner.app.db()
    expect(await db.getDocList('Server')).toHaveLength(3)
    const rows = await db.getDocList('Server', {
      fields: ['name', 'hostname'],
      filters: [['status', '=', 'Degraded']],
      orderBy: { field: 'hostname', order: 'asc' },
      limit: 1,
      limit_start: 1,
    })
    expect(rows).toEqual([{ name: expect.any(String) as unknown, hostname: 'two.acme.test' }])
    expect(await db.getCount('Server', [['status', '=', 'Degraded']])).toBe(2)
    expect(await db.getCount('Server')).toBe(3)
    expect(
      await db.getDocList('Server', { fields: ['hostname'], filters: [['hostname', 'like', 'nothing%']] }),
    ).toEqual([])
  })

  it('gives lists of values without as_dict', async () => {
    expect(
      (await body(owner, '/api/resource/Server?fields=["hostname","status"]&as_dict=0&order_by=hostname')).body,
    ).toEqual({
      data: [
        ['one.acme.test', 'Healthy'],
        ['three.acme.test', 'Degraded'],
        ['two.acme.test', 'Degraded'],
      ],
    })
  })

  it('gives counts by group in parts, in an order that is the same in each', async () => {
    const part = async (start: number) => {
      const { message } = (await owner.app.call().get('frappe.client.get_list', {
        doctype: 'Server',
        fields: JSON.stringify(['status', 'count(name) as n']),
        filters: JSON.stringify([['status', '!=', 'Decommissioned']]),
        group_by: 'status',
        order_by: 'status asc',
        limit_start: start,
        limit_page_length: 1,
      })) as { message: unknown }
      return message
    }
    expect([await part(0), await part(1), await part(2)]).toEqual([
      [{ status: 'Degraded', n: 2 }],
      [{ status: 'Healthy', n: 1 }],
      [],
    ])
  })

  it('takes filters as JSON text and as native JSON', async () => {
    const filters = { status: ['in', ['Healthy']] }
    const get = await body(
      owner,
      `/api/method/frappe.client.get_list?doctype=Server&filters=${encodeURIComponent(JSON.stringify(filters))}`,
    )
    const { message } = (await owner.app.call().post('frappe.client.get_list', { doctype: 'Server', filters })) as {
      message: unknown
    }
    expect(get.body['message']).toEqual([{ name: server }])
    expect(message).toEqual([{ name: server }])
  })

  it('lets limit_page_length win over limit and refuses nonsense', async () => {
    expect((await body(owner, '/api/resource/Server?limit=1&limit_page_length=2')).body['data']).toHaveLength(2)
    for (const query of [
      'limit=-1',
      'limit=x',
      'limit_start=-1',
      'filters={',
      'fields=["nope"]',
      'filters=[["nope","=",1]]',
      'order_by=sleep(1)',
    ]) {
      expect(await body(owner, `/api/resource/Server?${query}`)).toMatchObject({
        status: 417,
        body: { code: 'invalid' },
      })
    }
  })

  it('ends each tenant at its organization', async () => {
    expect(await stranger.app.db().getDocList('Server')).toEqual([])
    const foreign = await sdkError(stranger.app.db().getDoc('Server', server))
    const missing = await sdkError(stranger.app.db().getDoc('Server', 'zzzzzzzzzz'))
    expect(foreign.httpStatus).toBe(404)
    expect(foreign.exc_type).toBe('DoesNotExistError')
    expect(JSON.stringify(foreign).replaceAll(server, 'X')).toBe(JSON.stringify(missing).replaceAll('zzzzzzzzzz', 'X'))
  })

  it('gives reports as keys and values, also without rows', async () => {
    const call = (filters: unknown) =>
      owner.app.call().post('frappe.desk.reportview.get', {
        doctype: 'Server',
        fields: ['`tabServer`.`name`', 'status'],
        filters,
        page_length: 8,
        order_by: '`tabServer`.`hostname` asc',
        view: 'List',
      })
    expect(await call([['Server', 'status', '=', 'Healthy']])).toEqual({
      message: { keys: ['name', 'status'], values: [[server, 'Healthy']], user_info: {} },
    })
    expect(await call([['Server', 'status', '=', 'Failed']])).toEqual({
      message: { keys: [], values: [], user_info: {} },
    })
    expect((await body(owner, '/api/method/frappe.desk.reportview.get_count?doctype=Server')).body).toEqual({
      message: 3,
    })
    const grouped = (await owner.app.call().post('frappe.desk.reportview.get', {
      doctype: 'Server',
      fields: ['status'],
      group_by: 'status',
      aggregate_function: 'count',
      order_by: 'status',
    })) as { message: { keys: string[]; values: unknown[] } }
    expect(grouped.message).toMatchObject({
      keys: ['status', '_aggregate_column'],
      values: [
        ['Degraded', 2],
        ['Healthy', 1],
      ],
    })
  })

  it('searches for links', async () => {
    const search = (params: object) =>
      owner.app.call().post('frappe.desk.search.search_link', { doctype: 'Server', ...params })
    const { message } = (await search({
      txt: ' ONE ',
      page_length: 5,
      filters: { status: 'Healthy' },
      ignore_user_permissions: 1,
      reference_doctype: 'Site',
    })) as { message: { value: string }[] }
    expect(message.map((row) => row.value)).toEqual([server])
    expect((await sdkError(search({}))).httpStatus).toBe(417)
    expect(await sdkError(search({ txt: 'x', searchfield: 'name; drop' }))).toMatchObject({
      httpStatus: 417,
      exc_type: 'DataError',
    })
  })
})
