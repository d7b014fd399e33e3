import { actionCases, creationCases, documentCases, shareBitCases, type Case } from './cases.ts'
import { describedCases } from './described-cases.ts'
import { presenceCases, queryCases } from './field-cases.ts'
import type { Method } from '#server/contracts/method.ts'
import { forgedCases } from './forged-cases.ts'
import { serverFieldCases } from './server-field-cases.ts'
import { listingCases } from './listing-cases.ts'
import { machineCases } from './machine-cases.ts'
import { methodCases, ownCallCases } from './method-cases.ts'
import { readMatrix } from './matrix.ts'
import { personalCases } from './personal-cases.ts'
import {
  explainCases,
  outsideLogCases,
  permissionBeforeValidationCases,
  sameAnswerCases,
  traceCases,
} from './denial-cases.ts'
import { uploadCases } from './upload-cases.ts'
import {
  crossLinkCases,
  serverOwnedFieldCases,
  guardedCases,
  linkedCases,
  newServerFieldCases,
  tamperCases,
} from './write-cases.ts'
import type { TestContext } from './test-context.ts'

/** A case with an unexpected outcome. */
export interface Failure {
  readonly title: string
  readonly found: string
}

/** Every case of the suite except the sockets', in a fixed order. */
export function allCases(methods: readonly Method[]): Case[] {
  const matrix = readMatrix()
  return [
    ...documentCases(matrix),
    ...creationCases(matrix),
    ...actionCases(matrix),
    ...shareBitCases(matrix),
    ...presenceCases(matrix),
    ...queryCases(matrix),
    ...describedCases(matrix),
    ...tamperCases(matrix),
    ...traceCases(matrix),
    ...outsideLogCases(),
    ...guardedCases(matrix),
    ...serverOwnedFieldCases(matrix),
    ...serverFieldCases(matrix),
    ...personalCases(matrix),
    ...sameAnswerCases(matrix),
    ...permissionBeforeValidationCases(matrix),
    ...explainCases(matrix),
    ...listingCases(matrix),
    ...newServerFieldCases(),
    ...linkedCases(matrix),
    ...crossLinkCases(),
    ...methodCases(matrix, methods),
    ...ownCallCases(matrix),
    ...machineCases(),
    ...uploadCases(matrix),
    ...forgedCases(),
  ]
}

/** Seeded random number generator (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Shuffles the cases with a seed. */
export function shuffled<T>(cases: readonly T[], seed: number): T[] {
  const next = random(seed)
  return cases
    .map((one) => [next(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)
}

/** Runs cases concurrently; stops after `most` failures. */
export async function runCases(
  context: TestContext,
  cases: readonly Case[],
  most = Number.POSITIVE_INFINITY,
): Promise<Failure[]> {
  const failures: Failure[] = []
  const waiting = cases.values()
  const work = async () => {
    for (const one of waiting) {
      if (failures.length >= most) return
      const found = await one
        .run(context)
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      if (found !== null) failures.push({ title: one.title, found })
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return failures
}
