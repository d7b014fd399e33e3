import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Machines } from '#server/providers/provider.ts'
import { orderOf, publicKey } from './provider-machines.contract.ts'
import { secrets, type ProviderCase, type ProviderUnderTest } from './provider-under-test.ts'

const plans = fc.array(
  fc.record(
    {
      kind: fc.constantFrom('rate_limit', 'server_error', 'lose_answer', 'lag'),
      after: fc.nat({ max: 12 }),
      times: fc.integer({ min: 1, max: 4 }),
      retryAfterSeconds: fc.integer({ min: 1, max: 90 }),
    } as const,
    { requiredKeys: ['kind'] },
  ),
  { maxLength: 5 },
)
/** More than the faults of a plan, so that every step succeeds in the end. */
const maxAttempts = 25

/** Whatever goes wrong, and with several processes at once: an operation has one machine, and none when it was deleted. */
export function testMachineFaults(one: ProviderCase, numRuns: number): void {
  const { machines: facts } = one
  test(`machines of ${one.name} are created once and leave nothing, whatever goes wrong: ${numRuns} plans`, async () => {
    const property = fc.asyncProperty(plans, fc.integer({ min: 1, max: 3 }), async (plan, processes) => {
      const at = await one.start()
      try {
        const { machines } = at.open()
        const key = await machines.ensureKey(publicKey, facts.region)
        at.faults.push(...plan.map((fault) => ({ ...fault })))
        await live(at, machines, () => machines.create(orderOf(facts, key, 'op1')), processes)
        expect(at.vendor.problems).toEqual([])
      } finally {
        await at.vendor.close()
      }
    })
    await fc.assert(property, { numRuns })
  })
}

async function live(
  at: ProviderUnderTest,
  machines: Machines,
  create: () => Promise<{ id: string }>,
  processes: number,
): Promise<void> {
  const names = () => at.contentsOf(secrets.full).servers
  const created = await Promise.all(Array.from({ length: processes }, () => until(at, create)))
  expect(names()).toHaveLength(1)
  const [id, ...others] = new Set(created.map((machine) => machine.id))
  expect(others).toEqual([])
  const observed = () => machines.observe(String(id))
  expect(await until(at, observed, (machine) => machine?.status === 'running')).toMatchObject({ id })
  await until(at, () => machines.delete(String(id)))
  expect(await until(at, observed, (machine) => machine === null)).toBeNull()
  expect(names()).toEqual([])
}

/** Repeats a step as a job does, until it succeeds with what is waited for. */
async function until<T>(
  at: ProviderUnderTest,
  step: () => Promise<T>,
  isEnd: (value: T) => boolean = () => true,
): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const result = await step().then(
      (value) => ({ value }),
      () => null,
    )
    if (result && isEnd(result.value)) return result.value
    at.pass(5000)
  }
  return expect.fail('Not done')
}
