import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiDocument } from '#tests/support/api-validator.ts'
import { watchApi, type ApiWatch } from '#tests/support/api-watch.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { undeclared } from './completeness.ts'
import { readMatrix } from './matrix.ts'
import { billingLeaks } from './method-cases.ts'
import { openSuiteProduct, type SuiteProduct } from './product.ts'
import { allCases, runCases, shuffled } from './suite.ts'
import { trySocketsOfAll } from './sockets.ts'
import { openTestContext, type TestContext } from './test-context.ts'

let database: TestDatabase
let product: SuiteProduct
let context: TestContext
let watch: ApiWatch
beforeAll(async () => {
  database = await createProductDatabase()
  product = await openSuiteProduct(database.connection)
  const published = await product.fastify.inject('/api/openapi.json')
  watch = watchApi(product.fastify.server, published.json<ApiDocument>(), { responsesOnly: true })
  context = await openTestContext(product)
})
afterAll(async () => {
  await product?.close()
  await database?.drop()
})

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const full = process.env['EASYDASH_TEST_FULL'] === '1'
/** All cases take 15 minutes on an idle machine; a sample takes two on a busy one. */
const maxMs = long ? 3_600_000 : 900_000

test('every callable method is in the table', () => {
  expect(undeclared(readMatrix(), product.methods)).toEqual([])
})

test(
  'sockets send events only about readable documents',
  async () => {
    const { failures, count } = await trySocketsOfAll(context, readMatrix())
    process.stdout.write(`Permission matrix over sockets: ${count} assertions\n`)
    expect(failures).toEqual([])
  },
  maxMs,
)

test(
  'every person, document, operation and entry point come to what the table says',
  async () => {
    const all = shuffled(allCases(product.methods), 20_261_120)
    const cases = long ? all : all.slice(0, full ? 5000 : 500)
    const failures = await runCases(context, cases)
    process.stdout.write(`Permission matrix: ${cases.length} of ${all.length} assertions\n`)
    expect(failures.map(({ title, found }) => `${title} → ${found}`)).toEqual([])
    expect(await billingLeaks(context)).toEqual([])
    expect(all.length).toBeGreaterThan(2000)
    expect(product.defects).toEqual([])
    expect(watch.problems).toEqual([])
  },
  maxMs,
)
