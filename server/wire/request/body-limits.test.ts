import type { IncomingHttpHeaders } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import timers, { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import {
  bodyLimit,
  awaitParseSlot,
  countPendingBodies,
  formLimit,
  guestBodyLimit,
  jsonLimit,
  assertBodyLimit,
} from './body-limits.ts'

const form = 'application/x-www-form-urlencoded'
const errorCode = (type: string, length: number, isGuest = false, takesFile = false): string => {
  try {
    assertBodyLimit({ 'content-type': type, 'content-length': String(length) }, { isGuest, takesFile })
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('the limit of a body depends on its type and its sender', () => {
  for (const [type, isGuest, limit] of [
    [form, false, formLimit],
    [`${form}; charset=utf-8`, false, formLimit],
    [form.toUpperCase(), false, formLimit],
    ['application/json', false, jsonLimit],
    ['multipart/form-data; boundary=x', false, bodyLimit],
    [form, true, guestBodyLimit],
    ['application/json', true, guestBodyLimit],
    ['multipart/form-data; boundary=x', true, guestBodyLimit],
  ] as const) {
    expect([type, isGuest, errorCode(type, limit, isGuest)]).toEqual([type, isGuest, 'accepted'])
    expect([type, isGuest, errorCode(type, limit + 1, isGuest)]).toEqual([type, isGuest, 'too_large'])
  }
  expect(errorCode('application/json', bodyLimit, false, true)).toBe('accepted')
  expect(errorCode('application/json', bodyLimit + 1, false, true)).toBe('too_large')
  expect(errorCode('application/json', guestBodyLimit + 1, true, true)).toBe('too_large')
})

test.each([
  ['multipart/form-data; boundary=', 70, 'accepted'],
  ['multipart/form-data; boundary=', 71, 'invalid'],
  ['multipart/form-data; boundary="', 71, 'invalid'],
  ['Multipart/Form-Data; charset=utf-8; Boundary=', 71, 'invalid'],
])('%j and a separator of %d characters: %s', (type, length, expected) => {
  expect(errorCode(`${type}${'b'.repeat(length)}${type.endsWith('"') ? '"' : ''}`, 10, false)).toBe(expected)
})

test('large bodies under way are counted, of one caller and of all', () => {
  const pending = countPendingBodies()
  const json = (bytes: number) => ({ 'content-type': 'application/json', 'content-length': String(bytes) })
  const admit = (caller: string | { readonly address: string }, headers: IncomingHttpHeaders) =>
    pending.admit(caller, headers, bodyLimit)
  const ends = Array.from({ length: 4 }, () => admit('ann', json(bodyLimit)))
  expect(() => admit('ann', json(bodyLimit))).toThrow(expect.objectContaining({ code: 'rate_limited' }) as Error)
  expect(() => admit('ann', { 'transfer-encoding': 'chunked' })).toThrow('Too many large requests')
  // Small bodies, files and other users are not affected.
  expect(admit('ann', json(100_000))).toBeNull()
  expect(admit('ann', { ...json(bodyLimit), 'content-type': 'multipart/form-data; boundary=x' })).toBeNull()
  ends[0]?.()
  ends.push(admit('ann', json(bodyLimit)))
  for (const name of ['ben', 'cleo', 'dan'])
    for (let count = 0; count < 4; count += 1) ends.push(admit(name, json(bodyLimit)))
  expect(() => admit('eve', json(bodyLimit))).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error)
  for (const end of ends.slice(1)) end?.()
  for (let count = 0; count < 4; count += 1) admit('eve', json(bodyLimit))
  // A guest has all addresses of a /64.
  for (let count = 0; count < 4; count += 1) admit({ address: `2001:db8:1:1::${count}` }, json(bodyLimit))
  expect(() => admit({ address: '2001:db8:1:1::f' }, json(bodyLimit))).toThrow('Too many large requests')
  expect(admit({ address: '2001:db8:1:2::f' }, json(bodyLimit))).not.toBeNull()
})

test('of large bodies that wait, one is read in each turn of the event loop', async () => {
  let turn = 0
  const count = () => {
    turn += 1
    counter = setImmediate(count)
  }
  let counter = setImmediate(count)
  const waitForTurn = async (bytes: number) => {
    await awaitParseSlot(bytes)
    return turn
  }
  const [small, ...large] = await Promise.all([waitForTurn(100), waitForTurn(1e6), waitForTurn(1e6), waitForTurn(1e6)])
  clearImmediate(counter)
  expect(small).toBe(0)
  expect(new Set(large).size).toBe(3)
})

test('after a large body others have the event loop for as long as it took', async () => {
  const order: string[] = []
  const over = Promise.withResolvers<void>()
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms) => {
    // Otherwise it is one of the bodies before.
    if (ms === 50) {
      order.push('pause')
      await over.promise
    }
    return undefined as never
  })
  syncBuiltinESMExports()
  const large = async (name: string) => {
    await awaitParseSlot(1e6)
    order.push(name)
    now += 50
  }
  try {
    const both = Promise.all([large('first'), large('second')])
    while (order.length < 2) await nextTurn()
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    order.push('others')
    over.resolve()
    await both
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
  expect(order).toEqual(['first', 'pause', 'others', 'second'])
})
