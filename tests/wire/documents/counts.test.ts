/** Several counts in one call. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'

let acme: Acme
beforeAll(async () => {
  acme = await bootAcme()
})
afterAll(async () => {
  await acme.booted.close()
  expect(acme.booted.logged).toEqual([])
})

const counts = (browser: Acme['owner'], queries: unknown) =>
  body(browser, `/api/method/easydash.api.documents.get_counts?queries=${encodeURIComponent(JSON.stringify(queries))}`)

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
