/** Several counts, and several lists, in one call. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { body, bootAcme, type Acme } from '../acme.ts'

let acme: Acme
beforeAll(async () => {
  acme = await bootAcme()
})
afterAll(async () => {
  await acme.booted.close()
  expect(acme.booted.logged).toEqual([])
})

const read = (browser: Acme['owner'], method: string, queries: unknown) =>
  body(browser, `/api/method/easydash.api.documents.${method}?queries=${encodeURIComponent(JSON.stringify(queries))}`)
const counts = (browser: Acme['owner'], queries: unknown) => read(browser, 'get_counts', queries)
const lists = (browser: Acme['owner'], queries: unknown) => read(browser, 'get_lists', queries)

it('counts what each query matches, in order', async () => {
  const { status, body: answer } = await counts(acme.owner, [
    { doctype: 'Server' },
    { doctype: 'Server', filters: [['status', '=', 'Degraded']] },
    { doctype: 'Server', group_by: 'status' },
    { doctype: 'Server', or_filters: [['status', '=', 'Healthy']], group_by: 'status' },
  ])
  expect(status).toBe(200)
  expect(answer['message']).toEqual([
    3,
    2,
    [
      { status: 'Degraded', n: 2 },
      { status: 'Healthy', n: 1 },
    ],
    [{ status: 'Healthy', n: 1 }],
  ])
})

it('counts only what its caller may see', async () => {
  const { body: answer } = await counts(acme.stranger, [
    { doctype: 'Server' },
    { doctype: 'Server', group_by: 'status' },
  ])
  expect(answer['message']).toEqual([0, []])
  const guest = await fetch(`${acme.booted.url}/api/method/easydash.api.documents.get_counts?queries=[]`)
  expect(guest.status).toBe(403)
})

it('a refused query is null and does not touch the others', async () => {
  const { status, body: answer } = await counts(acme.owner, [
    { doctype: 'Nothing' },
    { doctype: 'Server', filters: [['no_field', '=', 1]] },
    { doctype: 'Server', group_by: 'do_token' },
    { doctype: '' },
    { doctype: 'Server' },
  ])
  expect(status).toBe(200)
  expect(answer['message']).toEqual([null, null, null, null, 3])
})

it.each([
  ['more than 40', Array.from({ length: 41 }, () => ({ doctype: 'Server' }))],
  ['no list', { doctype: 'Server' }],
  ['no objects', [1]],
])('%s: refused, with the name of the parameter', async (_, queries) => {
  const { status, body: answer } = await counts(acme.owner, queries)
  expect(status).toBe(417)
  expect(answer['field']).toBe('queries')
})

it('lists the rows of each query as get_list does, and null for a refused one', async () => {
  const degraded = {
    doctype: 'Server',
    fields: ['status'],
    filters: [['status', '=', 'Degraded']],
    limit_page_length: 1,
  }
  const { status, body: answer } = await lists(acme.owner, [
    degraded,
    { ...degraded, as_dict: 0, limit_page_length: 5 },
    { doctype: 'Server', fields: ['no_field'] },
    { doctype: 'Nothing' },
  ])
  expect(status).toBe(200)
  expect(answer['message']).toEqual([[{ status: 'Degraded' }], [['Degraded'], ['Degraded']], null, null])
  const { body: foreign } = await lists(acme.stranger, [degraded])
  expect(foreign['message']).toEqual([[]])
})

it('refuses more than 20 lists', async () => {
  const { status, body: answer } = await lists(
    acme.owner,
    Array.from({ length: 21 }, () => ({ doctype: 'Server' })),
  )
  expect([status, answer['field']]).toEqual([417, 'queries'])
})

it('a caller with too many calls at once gets an error, no counts that look refused', async () => {
  // Each call waits with four of its counts.
  const queries = Array.from({ length: 4 }, () => ({ doctype: 'Server' }))
  const responses = await Promise.all(Array.from({ length: 150 }, () => counts(acme.owner, queries)))
  const found = responses.map(({ status, body: answer }) => [status, answer['message']])
  for (const one of found) expect([[200, [3, 3, 3, 3]], [429]]).toContainEqual(one.filter((part) => part !== undefined))
})

it('together the answers are no larger than that of a list', async () => {
  await acme.booted.documents.transaction(acme.booted.system, async (tx) => {
    for (let n = 0; n < 12; n += 1)
      await tx.insert(ServerDoctype, {
        organization: 'acme',
        hostname: `keys${n}.acme.test`,
        status: 'Healthy',
        authorized_keys: `${n}`.padEnd(10_000, 'k'),
      })
  })
  const grouped = (times: number) =>
    counts(
      acme.owner,
      Array.from({ length: times }, () => ({ doctype: 'Server', group_by: 'authorized_keys' })),
    )
  expect((await grouped(10)).status).toBe(200)
  const { status, body: answer } = await grouped(40)
  expect([status, answer['code'], answer['field']]).toEqual([417, 'limit_reached', 'queries'])
})
