import { expect, test } from 'vitest'
import { toDescriptor } from '#shared/localized-message.ts'
import { englishOf, untranslatable } from '#tests/support/message-texts.ts'
import { ProviderError, retryAfterOf, type ProviderErrorKind } from './provider-error.ts'

const kinds: readonly ProviderErrorKind[] = [
  'wrong_key',
  'wrong_scope',
  'rate_limited',
  'quota',
  'out_of_stock',
  'invalid',
  'conflict',
  'not_found',
  'unavailable',
  'unexpected',
]

test('every kind of error has its own message and advice in every language, with and without the vendor’s words', async () => {
  const errors = kinds.flatMap((kind) =>
    ['', 'limit exceeded'].map((words) => new ProviderError(kind, { vendor: 'Hetzner', status: 418, words })),
  )
  for (const { localized, nextAction } of errors)
    expect(await untranslatable([toDescriptor(localized), nextAction && toDescriptor(nextAction)])).toEqual([])
  expect(errors.map(({ localized }) => englishOf(toDescriptor(localized)))).toEqual(
    errors.map(({ message }) => message),
  )
  const mute = errors.filter(({ words }) => words === '')
  expect(new Set(mute.map(({ message }) => message)).size).toBe(kinds.length)
  expect(new Set(mute.map(({ nextAction }) => nextAction?.text)).size).toBe(kinds.length)
})

test('a time to wait is a number of seconds or a date', () => {
  const now = Date.UTC(2026, 0, 1)
  const wait = (text: string) => retryAfterOf({ 'retry-after': text }, now)
  expect([wait('27'), wait('Thu, 01 Jan 2026 00:01:00 GMT')]).toEqual([27, 60])
  for (const none of ['', '0', '-1', 'soon', 'Wed, 31 Dec 2025 23:59:00 GMT']) expect(wait(none)).toBeUndefined()
})
