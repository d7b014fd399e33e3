import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ProviderError } from '#server/providers/provider-error.ts'
import type { Provider } from '#server/providers/provider.ts'
import { AppError } from '#shared/errors.ts'
import { secrets, type ProviderCase, type ProviderUnderTest } from './provider-under-test.ts'

/** What a call that must fail fails with; it never contains a credential. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    (value) => expect.fail(`Resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  const texts = error instanceof AppError ? [error.message, error.nextAction?.text, error.cause] : [error]
  for (const secret of Object.values(secrets)) expect(texts.map(String).join()).not.toContain(secret)
  return error
}

/** Every provider has to pass this against its simulator, which judges all requests by the vendor's description. */
export function describeProvider(one: ProviderCase): void {
  describe(`provider ${one.name}`, () => {
    let at: ProviderUnderTest
    let provider: Provider
    beforeEach(async () => {
      at = await one.start()
      provider = at.open()
    })
    afterEach(async () => {
      await at.vendor.close()
      expect(at.vendor.problems).toEqual([])
    })

    test('is labeled as in the field of a server', () => {
      expect(provider.label).toBe(one.name)
    })

    describe('check', () => {
      test('says what the credentials give access to', async () => {
        expect((await provider.check()).text).toBe(one.checkMessage)
      })

      test.each([
        ['some-other-key', 'wrong_key'],
        [secrets.none, 'wrong_scope'],
      ])('knows a wrong key from one with too few rights', async (secret, kind) => {
        const error = await failureOf(at.open(secret).check())
        expect(error).toMatchObject({ kind, retryable: false, nextAction: expect.anything() })
        expect(String(error)).not.toContain(secret)
      })

      test.each([
        ['rate_limit', 'rate_limited'],
        ['server_error', 'unavailable'],
        ['garbage', 'unexpected'],
      ] as const)('asks once: %s', async (fault, kind) => {
        at.faults.push({ kind: fault })
        expect(await failureOf(provider.check())).toMatchObject({ kind })
        expect(at.vendor.seen).toHaveLength(1)
      })
    })

    test('lists regions with their countries, and whether they can be used', async () => {
      const regions = await provider.regions()
      for (const known of one.regions) expect(regions).toContainEqual(expect.objectContaining(known))
      for (const region of regions.filter(({ available }) => available)) expect(region.country).toMatch(/^[A-Z]{2}$/)
    })

    test('lists machine types of a region, and why some are not available', async () => {
      const types = await provider.machineTypes(one.region)
      const shown = types.map((type) => ({ ...type, reason: type.reason?.text ?? null }))
      for (const known of one.types) expect(shown).toContainEqual(expect.objectContaining(known))
      for (const { available, reason } of shown) expect(available).toBe(reason === null)
      expect(new Set(shown.map(({ name }) => name)).size).toBe(shown.length)
    })

    test('reads all pages of a list', async () => {
      const small = await one.start({ pageLimit: 2 })
      expect(await small.open().machineTypes(one.region)).toEqual(await provider.machineTypes(one.region))
      expect(small.vendor.seen.length).toBeGreaterThan(at.vendor.seen.length)
      await small.vendor.close()
      expect(small.vendor.problems).toEqual([])
    })

    describe('a read that fails', () => {
      test('is repeated after the time a rate limit names', async () => {
        at.faults.push({ kind: 'rate_limit', retryAfterSeconds: 3, times: 2 })
        await provider.regions()
        expect(at.waits).toEqual([3000, 3000])
      })

      test('is repeated when the vendor’s own headers allow it', async () => {
        at.faults.push({ kind: 'rate_limit' })
        await provider.regions()
        expect(at.waits).toEqual([one.rateLimitWait])
      })

      test('is left to the caller if the wait is long', async () => {
        at.faults.push({ kind: 'rate_limit', retryAfterSeconds: 600 })
        const error = await failureOf(provider.regions())
        expect(error).toMatchObject({ kind: 'rate_limited', retryable: true, retryAfterSeconds: 600 })
        expect(at.waits).toEqual([])
      })

      test('is tried five times with growing waits, then given up', async () => {
        at.faults.push({ kind: 'lose_answer', times: 5 })
        expect(await failureOf(provider.regions())).toMatchObject({ code: 'unavailable', retryable: true })
        expect(at.waits).toEqual([500, 1000, 2000, 4000])
        expect(at.vendor.seen).toHaveLength(5)
      })

      test('is not taken for success', async () => {
        at.faults.push({ kind: 'garbage' })
        const error = await failureOf(provider.regions())
        expect(error).toBeInstanceOf(ProviderError)
        expect(error).toMatchObject({ kind: 'unexpected', retryable: false })
      })

      test('ends with the caller’s deadline', async () => {
        at.faults.push({ kind: 'hang' })
        const deadline = new AbortController()
        const found = failureOf(provider.regions(deadline.signal))
        await at.vendor.whenHanging()
        deadline.abort(new Error('Time is up'))
        expect(await found).toMatchObject({ message: 'Time is up' })
        expect(at.vendor.seen).toHaveLength(1)
      })
    })
  })
}
