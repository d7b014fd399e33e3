import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import { createDenials } from './denials.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const eve = sessionOf('eve@acme.example', 'acme')
const about = (name: string, organization = 'acme') => ({
  action: 'Site.write',
  organization,
  reference_doctype: 'Site',
  reference_name: name,
})

function open() {
  const written: ActivityEntry[] = []
  const failed = vi.fn()
  const denials = createDenials({
    write: (_session, entry) => Promise.resolve(void written.push(entry)),
    failed,
    now: () => Date.now(),
  })
  return { written, denials, failed }
}

test('writes the first denial immediately, counts its repetitions and writes them once', async () => {
  const { written, denials } = open()
  for (let n = 0; n < 1000; n += 1) await denials.record(eve, about('s1'))
  await denials.record(eve, about('s2'))
  expect(written).toEqual([about('s1'), about('s2')])
  await vi.advanceTimersByTimeAsync(130_000)
  expect(written.slice(2)).toEqual([
    {
      organization: 'acme',
      action: 'denials.repeated',
      result: 'Denied',
      after: { times: 999, since: expect.stringMatching(/^\d{4}-/) },
    },
  ])
  await denials.record(eve, about('s1'))
  expect(written.at(-1)).toEqual(about('s1'))
})

test('a loop over many documents is bounded as well; others are written as ever', async () => {
  const { written, denials } = open()
  for (let n = 0; n < 500; n += 1) await denials.record(eve, about(`s${n}`))
  expect(written).toHaveLength(30)
  await denials.record(eve, about('x', 'globex'))
  await denials.record(sessionOf('bob@acme.example', 'acme'), about('s1'))
  expect(written).toHaveLength(32)
  await denials.flush()
  expect(written.at(-1)?.after).toMatchObject({ times: 470 })
  expect(written).toHaveLength(33)
})

test('denials that cannot be written at the end of the minute are logged', async () => {
  const failed = vi.fn()
  let works = true
  const denials = createDenials({
    write: () => (works ? Promise.resolve() : Promise.reject(new Error('gone'))),
    failed,
  })
  for (let n = 0; n < 3; n += 1) await denials.record(eve, about('s1'))
  works = false
  await vi.advanceTimersByTimeAsync(130_000)
  expect(failed).toHaveBeenCalledOnce()
})
