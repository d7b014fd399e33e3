import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import type { Case } from './cases.ts'
import { openSuiteProduct, type SuiteProduct } from './product.ts'
import { ruleMutants, type RuleMutant } from './mutants/rule-mutants.ts'
import { allCases, runCases, shuffled } from './suite.ts'
import { openTestContext, type TestContext } from './test-context.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'

let database: TestDatabase
let product: SuiteProduct
let context: TestContext
async function open(): Promise<void> {
  database = await createProductDatabase()
  product = await openSuiteProduct(database.connection)
  context = await openTestContext(product)
}
async function close(): Promise<void> {
  await product?.close()
  await database?.drop()
}
beforeAll(open)
afterAll(close)

/** Cases that show whether everyone still has their original rights. */
const lasting = / R (?:Site\/own|Server\/dev|Organization\/acme|User\/member) through resource:/

/** The first case that detects the missing rule; null if none does. */
async function findDetectingCase(mutant: RuleMutant, cases: readonly Case[]): Promise<string | null> {
  const undo = mutant.apply()
  try {
    const [failure] = await runCases(context, cases, 1)
    return failure?.title ?? null
  } finally {
    undo()
  }
}

/** Cases about the rule first, then others of its doctype. */
function casesFor({ about, doctype }: RuleMutant, all: readonly Case[]): Case[] {
  const of = all.filter((one) => one.doctype === doctype)
  const near = of.filter((one) => about.test(one.title))
  const nearby = new Set(near)
  return [...near, ...of.filter((one) => !nearby.has(one)).slice(0, 400)]
}

test('removing any rule of any doctype fails a case', async () => {
  const all = shuffled(allCases(product.methods), 11)
  const only = new RegExp(process.env['EASYDASH_RULES'] ?? '')
  const mutants = shuffled(ruleMutants(), 20_261_120).filter(({ what }) => only.test(what))
  const tried = long ? mutants : mutants.slice(0, 24)
  const unnoticed: string[] = []
  for (const mutant of tried) {
    const cases = casesFor(mutant, all)
    const title = await findDetectingCase(mutant, cases)
    if (title === null) {
      unnoticed.push(mutant.what)
      process.stdout.write(`unnoticed: ${mutant.what}\n`)
      continue
    }
    // Calls made without the rule may have changed data: if the case doesn't pass again with the rule restored, the context is
    // recreated.
    const again = await runCases(
      context,
      all.filter((one) => one.title === title || lasting.test(one.title)),
      1,
    )
    if (again.length > 0) {
      await close()
      await open()
    }
  }
  process.stdout.write(`Rules removed: ${tried.length} of ${mutants.length}, unnoticed ${unnoticed.length}\n`)
  expect(unnoticed).toEqual([])
}, 3_600_000)
