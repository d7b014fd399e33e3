import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSuiteProduct, type SuiteProduct } from '#tests/permissions/product.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'

let database: TestDatabase
let product: SuiteProduct
beforeAll(async () => {
  database = await createProductDatabase()
  product = await openSuiteProduct(database.connection)
})
afterAll(async () => {
  await product?.close()
  await database?.drop()
})

it('describes the whole product in valid OpenAPI', async () => {
  const { body } = await product.fastify.inject('/api/openapi.json')
  const result = await new Validator().validate(JSON.parse(body) as Parameters<Validator['validate']>[0])
  expect(result.errors).toBeUndefined()
  const { paths } = JSON.parse(body) as { paths: object }
  const missing = product.methods.filter(({ name }) => !Object.hasOwn(paths, `/api/method/${name}`))
  expect(missing).toEqual([])
})

it('says of every method of every feature what it answers', () => {
  expect(product.methods.length).toBeGreaterThan(80)
  expect(product.methods.filter(({ returns }) => returns === undefined).map(({ name }) => name)).toEqual([])
})

it('names every method on the readable page', async () => {
  const { body } = await product.fastify.inject('/api/docs')
  expect(product.methods.filter(({ name }) => !body.includes(`id="${name}"`)).map(({ name }) => name)).toEqual([])
})
