import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { ProviderError } from './provider-error.ts'
import { collectPages, createOnce, wordsOf, type VendorApi } from './vendor-api.ts'

const api: VendorApi = {
  transport: {
    ask: () => Promise.reject(new Error('Nothing is asked here.')),
    now: () => 0,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
  },
  vendor: 'Acme Cloud',
  endpoint: 'https://acme.example',
  secrets: [],
  headers: () => Promise.resolve({}),
  failureOf: ({ status }) => new ProviderError('unexpected', { vendor: 'Acme Cloud', status }),
}

describe('a list with pages', () => {
  test('that repeats one or does not end is an error, not a loop', async () => {
    let pages = 0
    const counting = (next: (cursor: string) => string) => (cursor: string) => {
      pages += 1
      return Promise.resolve({ items: [cursor], next: next(cursor) })
    }
    await expect(
      collectPages(
        api,
        '1',
        counting(() => '4'),
      ),
    ).rejects.toMatchObject({ kind: 'unexpected' })
    expect(pages).toBe(2)
    pages = 0
    await expect(
      collectPages(
        api,
        '1',
        counting((cursor) => `${cursor}1`),
      ),
    ).rejects.toMatchObject({ kind: 'unexpected' })
    expect(pages).toBe(200)
  })
})

describe('what is created once', () => {
  /** A vendor that fails the creates named in `errors` and, where `isDone`, carries them out all the same. */
  function vendor(errors: readonly AppError[], isDone: boolean) {
    const calls: string[] = []
    const made: string[] = []
    const steps = {
      find: () => Promise.resolve((calls.push('find'), made[0] ?? null)),
      create: () => {
        const error = errors[calls.filter((call) => call === 'create').length]
        calls.push('create')
        if (!error || isDone) made.push(`thing ${made.length}`)
        return error ? Promise.reject(error) : Promise.resolve(made.at(-1) ?? '')
      },
    }
    return { calls, made, run: () => createOnce(api, steps, undefined) }
  }
  const failure = (status: number, retryable: boolean) =>
    new ProviderError(status < 500 ? 'invalid' : 'unavailable', { vendor: 'Acme Cloud', status, retryable })
  const noAnswer = new AppError('unavailable', msg`No answer.`, { retryable: true })

  test.each([
    ['an internal error', failure(500, false)],
    ['no answer', noAnswer],
  ])('is looked for after %s, and not created again', async (_name, error) => {
    const { calls, made, run } = vendor([error], true)
    expect(await run()).toBe('thing 0')
    expect(calls).toEqual(['find', 'create', 'find'])
    expect(made).toHaveLength(1)
  })

  test('is created after a failure that can be repeated and left nothing', async () => {
    const { calls, run } = vendor([noAnswer], false)
    expect(await run()).toBe('thing 0')
    expect(calls).toEqual(['find', 'create', 'find', 'find', 'create'])
  })

  test.each([
    ['a refusal', failure(422, false), ['find', 'create']],
    ['an internal error that left nothing', failure(500, false), ['find', 'create', 'find']],
  ])('is not repeated after %s', async (_name, error, expected) => {
    const { calls, run } = vendor([error], false)
    await expect(run()).rejects.toBe(error)
    expect(calls).toEqual(expected)
  })
})

test('words of a vendor are one short line without the secrets of the account', () => {
  const words = wordsOf(['s3cret-token', ''], `Token s3cret-token\nis ${'very '.repeat(100)}wrong`)
  expect(words).toMatch(/^Token \*{5} is very /)
  expect(words.length).toBeLessThanOrEqual(160)
})
