import { describe, expect, test } from 'vitest'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { englishOf, untranslatable, valuesOf } from '#tests/support/message-texts.ts'
import { bucket } from './bucket.ts'
import { missingSecretsResult } from './destination.ts'
import { hetzner } from './cloud-providers.ts'
import {
  checkOf,
  limited,
  unreachableResult,
  unexpectedResult,
  rejectedResult,
  type ConnectionTestResult,
} from './connection-test.ts'
import { runConnectionTest, connectionTestContext, connectionTests } from './connection-tests.ts'

const response = (status: number, headers: Record<string, string> = {}): FetchResponse => ({
  status,
  headers,
  body: Buffer.from(''),
})
const context = connectionTestContext({ endpoints: {} as never, egressIps: [], allowPrivateCidrs: [], addressMap: {} })
const set = (name: keyof typeof connectionTests, value: string) =>
  Object.fromEntries(connectionTests[name].fields.map((field) => [field, value]))
const nothingStored = set('bucket', '')

/** Possible results of a connection test, and the values in them that are not translated. */
const finds: readonly (readonly [
  what: string,
  found: ConnectionTestResult | null | Promise<ConnectionTestResult>,
  values: readonly unknown[],
])[] = [
  ...[401, 403, 404, 503].flatMap((status) => {
    const statusValues = status === 401 || status === 403 ? [] : [status]
    return [
      [`${status}`, rejectedResult(hetzner, response(status)), ['Hetzner', ...statusValues]],
      [
        `${status} with words`,
        rejectedResult(hetzner, response(status), 'no such token'),
        ['Hetzner', ...statusValues, 'no such token'],
      ],
    ] as const
  }),
  ['a store that has no name', rejectedResult(bucket, response(401)), []],
  ['too many questions', limited(hetzner, response(429)), ['Hetzner']],
  ['one second to wait', limited(hetzner, response(429, { 'retry-after': '1' })), ['Hetzner', 1]],
  ['a time to wait', limited(hetzner, response(429, { 'retry-after': '27' })), ['Hetzner', 27]],
  ['another answer', unexpectedResult(hetzner, response(200)), ['Hetzner', 200]],
  ['a long answer', unreachableResult(hetzner, new AppError('too_large', msg`Too large.`)), ['Hetzner']],
  [
    'no answer',
    unreachableResult(hetzner, new AppError('unavailable', msg`No connection to ${'a.example'}.`)),
    ['Hetzner'],
  ],
  [
    'no address',
    unreachableResult(hetzner, new AppError('invalid', msg`The address of ${'10.0.0.1'} is not public.`)),
    ['Hetzner', '10.0.0.1'],
  ],
  ['no answer of an own address', unreachableResult(bucket, new AppError('unavailable', msg`No connection.`)), []],
  ['no key', runConnectionTest(hetzner, set('hetzner', ''), context), []],
  ['no keys of a bucket', runConnectionTest(bucket, set('bucket', ''), context), []],
  ['what is no key', runConnectionTest(hetzner, set('hetzner', 'a\nb'), context), []],
  ['what is no bucket', runConnectionTest(bucket, set('bucket', 'a/b'), context), []],
  ['what is no region', runConnectionTest(bucket, { ...set('bucket', 'A.B'), bucket_endpoint: '' }, context), []],
  [
    'keys for another store',
    missingSecretsResult(bucket, { ...nothingStored, bucket_secret_key: 'x' }, nothingStored),
    [],
  ],
]

describe('a test of a connection', () => {
  test.each(finds)(
    'says %s in every language, but for names, numbers and words of others',
    async (_what, find, values) => {
      const found = await find
      if (!found) throw new Error('nothing found')
      const check = checkOf(found, { took_ms: 1, checked_at: '', stored: true })
      const parts = [check.message_i18n, check.advice_i18n].filter((one) => one != null)
      expect(parts.map(englishOf)).toEqual([check.message, check.advice].filter((one) => one !== null))
      expect(await untranslatable(parts)).toEqual([])
      expect(valuesOf(parts)).toEqual(values)
    },
  )
})

test('formats the waiting time with the correct unit', () => {
  const advice = (seconds: string) => limited(hetzner, response(429, { 'retry-after': seconds })).advice?.text
  expect([advice('1'), advice('2')]).toEqual(['Wait 1 second, then test again.', 'Wait 2 seconds, then test again.'])
})
