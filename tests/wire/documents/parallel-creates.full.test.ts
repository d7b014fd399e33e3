/** Many concurrent inserts of one doctype by one user must not deadlock. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { filled, personOf } from '#tests/permissions/cases.ts'
import { doctypeDeclarations } from '#tests/permissions/declarations.ts'
import type { PersonKey } from '#tests/permissions/people.ts'
import type { SuiteProduct } from '#tests/permissions/product.ts'
import { openSuiteContext, type SuiteContext } from '#tests/permissions/suite-context.ts'
import { call, type TestContext } from '#tests/permissions/test-context.ts'

let suite: SuiteContext
let product: SuiteProduct
let context: TestContext
beforeAll(async () => {
  suite = await openSuiteContext({ withJobs: true })
  ;({ product, context } = suite)
})
afterAll(() => suite?.close())

/** A site has one schedule of backups, a server one rule for each metric, and so has an organization. */
const single = ['Backup Schedule', 'Alert Rule']

/** Doctypes that can be created through the document API, as many as one wants. */
const creatable = doctypes.filter(
  ({ name, permissions }) => !single.includes(name) && Object.values(permissions).some(({ create }) => create),
)

/** The creator: the owner, unless the draft says otherwise. */
const makerOf = (doctype: string): PersonKey =>
  doctypeDeclarations[doctype]?.drafts?.[0]?.self ?? (doctype === 'Organization' ? 'founder' : 'owner')

const insert = (doctype: string, values: Record<string, unknown>, key: PersonKey) =>
  call(context, personOf(context, key), 'POST', `/api/resource/${encodeURIComponent(doctype)}`, values)

test.each(creatable.map(({ name }) => name))('20 of %s at once', async (doctype) => {
  const draft = doctypeDeclarations[doctype]?.drafts?.[0]
  if (!draft) throw new Error(`No draft of ${doctype} is declared`)
  // `call` throws for responses of 500 and above.
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => insert(doctype, filled(context, draft.values), makerOf(doctype))),
  )
  expect(responses.map(({ status, text }) => (status === 200 ? status : text))).toEqual(Array(20).fill(200))
  expect(product.warnings).toEqual([])
  expect(product.defects).toEqual([])
})
