import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { readCount, readSmallList } from './batched-reads.ts'

const api = apiServer()
const batch = 'easydash.api.documents.get_counts'
const get = 'frappe.client.get_count'
const names = () => api.calls.map(({ name }) => name)

test('counts requested together share one request, in order', async () => {
  api.on(batch, ({ body }) => ({ message: (body['queries'] as unknown[]).map((_, at) => at) }))
  const counts = await Promise.all(['Site', 'Server', 'Job'].map((doctype) => readCount({ doctype })))
  expect(counts).toEqual([0, 1, 2])
  expect(names()).toEqual([batch])
  expect(api.calls[0]?.body['queries']).toEqual([{ doctype: 'Site' }, { doctype: 'Server' }, { doctype: 'Job' }])
})

test('a single count uses Frappe’s client, grouped or not', async () => {
  api.on(get, () => ({ message: 7 }))
  api.on('frappe.client.get_list', () => ({ message: [{ status: 'Live', n: 7 }] }))
  expect(await readCount({ doctype: 'Site', filters: [['status', '=', 'Live']] })).toBe(7)
  expect(await readCount({ doctype: 'Site', group_by: 'status' })).toEqual([{ status: 'Live', n: 7 }])
  expect(api.calls.map(({ body }) => body)).toMatchObject([
    { doctype: 'Site', filters: [['status', '=', 'Live']] },
    { doctype: 'Site', group_by: 'status', fields: ['status', 'count(name) as n'], limit_page_length: 0 },
  ])
})

test('a rejected count fails alone, with its reason', async () => {
  api.on(batch, () => ({ message: [3, null] }))
  api.on(get, () => ({ status: 403, body: { exc_type: 'PermissionError', exception: 'Not for you.' } }))
  const [sites, servers] = await Promise.allSettled([readCount({ doctype: 'Site' }), readCount({ doctype: 'Server' })])
  expect(sites).toEqual({ status: 'fulfilled', value: 3 })
  expect(servers).toMatchObject({ status: 'rejected', reason: { message: 'Not for you.' } })
})

test('a failed request fails all its counts', async () => {
  api.on(batch, () => ({ status: 500, body: { message: 'Broken.' } }))
  const counts = await Promise.allSettled([readCount({ doctype: 'Site' }), readCount({ doctype: 'Server' })])
  expect(counts.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('large numbers of counts are divided among requests', async () => {
  api.on(batch, ({ body }) => ({ message: (body['queries'] as unknown[]).map(() => 1) }))
  const filters = [['name', 'in', Array.from({ length: 100 }, (_, at) => `site-${at}`)]] as const
  const counts = Array.from({ length: 50 }, (_, at) => readCount({ doctype: 'Site', ...(at < 8 && { filters }) }))
  expect(await Promise.all(counts)).toEqual(Array.from({ length: 50 }, () => 1))
  const sizes = api.calls.map(({ body }) => (body['queries'] as unknown[]).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(40)
  for (const { body } of api.calls) expect(JSON.stringify(body['queries']).length).toBeLessThan(7000)
})

test('small lists requested together share one request', async () => {
  api.on('easydash.api.documents.get_lists', () => ({ message: [[{ name: 's1' }], null] }))
  api.on('frappe.client.get_list', () => ({
    status: 403,
    body: { exc_type: 'PermissionError', exception: 'Not for you.' },
  }))
  const [sites, servers] = await Promise.allSettled([
    readSmallList('Site', { limit: 5 }),
    readSmallList('Server', { filters: [['status', '=', 'Healthy']] }),
  ])
  expect(sites).toEqual({ status: 'fulfilled', value: [{ name: 's1' }] })
  expect(servers).toMatchObject({ status: 'rejected', reason: { message: 'Not for you.' } })
  expect(api.calls[0]?.body['queries']).toMatchObject([
    { doctype: 'Site', limit_page_length: 5 },
    { doctype: 'Server', filters: [['status', '=', 'Healthy']] },
  ])
})
