import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openSuiteProduct, type SuiteProduct } from './product.ts'
import { allCases, runCases, shuffled } from './suite.ts'
import { openWorld, type World } from './world.ts'

let database: TestDatabase
let product: SuiteProduct
let world: World
beforeAll(async () => {
  database = await createTestDatabase()
  product = await openSuiteProduct(database.connection)
  world = await openWorld(product)
}, 120_000)
afterAll(async () => {
  await product?.close()
  await database?.drop()
})

const long = process.env['EASYDASH_TEST_LONG'] === '1'

test('every person, document, operation and door come to what the table says', async () => {
  const all = shuffled(allCases(), 20_261_120)
  const cases = long ? all : all.slice(0, 2500)
  const failures = await runCases(world, cases)
  process.stdout.write(`Permission matrix: ${cases.length} of ${all.length} assertions\n`)
  expect(failures.map(({ title, found }) => `${title} → ${found}`)).toEqual([])
  expect(all.length).toBeGreaterThan(2000)
  expect(product.defects).toEqual([])
}, 900_000)
