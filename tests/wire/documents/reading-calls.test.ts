/** GET changes nothing (docs/security.md): checked by calling everything, not by a list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesNothing } from '#shared/action-state.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { personOf } from '#tests/permissions/cases.ts'
import { subjectPlans } from '#tests/permissions/subjects.ts'
import { openSuiteContext, type SuiteContext } from '#tests/permissions/suite-context.ts'
import { call } from '#tests/permissions/test-context.ts'
import { changedTables, storedRows } from '#tests/support/stored-rows.ts'

let suite: SuiteContext
beforeAll(async () => {
  suite = await openSuiteContext()
})
afterAll(() => suite?.close())

const actions = doctypes.flatMap((type) =>
  Object.entries(type.actions ?? {}).map(([name, action]) => ({ type, name, action, id: `${type.name}.${name}` })),
)
const path = (doctype: string, name: string) =>
  `/api/resource/${encodeURIComponent(doctype)}/${encodeURIComponent(name)}`
const subjectOf = (doctype: string) => {
  const plan = subjectPlans.find((one) => one.doctype === doctype && one.attributes.organization === 'acme')
  return suite.context.subjects.get(`${doctype}/${plan?.key}`)?.name ?? 'nothing000'
}

describe('actions', () => {
  test('GET runs those that change nothing, and no other', async () => {
    const owner = personOf(suite.context, 'owner')
    for (const { type, name, action, id } of actions) {
      // That comes before the document, so none is needed.
      const address = path(type.name, 'nothing000')
      const { status, text } = await call(suite.context, owner, 'GET', address, { run_method: name })
      const isRefused = status === 403 && text.includes('Document methods that write are called with POST.')
      expect([id, isRefused]).toEqual([id, !changesNothing(action)])
    }
  })

  test('what they find is kept by these, so they are called by POST', () => {
    expect(actions.filter(({ action }) => action.reads && !changesNothing(action)).map(({ id }) => id)).toEqual([
      'Site.check_wordpress_health',
      'Site.site_health',
      'Site.inspect_wordpress',
      'Site.read_certificate',
      'Site.check_now',
      'Subscription Organization.preview_plan',
      'Subscription Organization.refresh',
      'Subscription Organization.create_setup_intent',
    ])
  })

  test('those need a token that may write, whatever they answer', async () => {
    const site = path('Site', subjectOf('Site'))
    const run = async (who: 'tokenReading' | 'tokenSites', run_method: string) =>
      (await call(suite.context, personOf(suite.context, who), 'POST', site, { run_method })).status
    expect(await run('tokenReading', 'uptime')).toBe(200)
    for (const { name } of actions.filter(({ type, action }) => type.name === 'Site' && action.keeps)) {
      expect([name, await run('tokenReading', name)]).toEqual([name, 403])
      // The subject is not live.
      expect([name, await run('tokenSites', name)]).toEqual([name, 417])
    }
  })
})

test('no method or action that takes GET changes a row', async () => {
  const { context, product } = suite
  const before = await storedRows(product.database.db)
  for (const { name, verbs, access } of product.methods.filter(({ verbs }) => verbs.includes('GET')))
    await call(
      context,
      personOf(context, access === 'platform' ? 'platform' : 'owner'),
      verbs[0] ?? '',
      `/api/method/${name}`,
    )
  for (const { type, name, action } of actions)
    if (changesNothing(action))
      await call(context, personOf(context, 'owner'), 'GET', path(type.name, subjectOf(type.name)), {
        run_method: name,
      })
  expect(changedTables(before, await storedRows(product.database.db))).toEqual([])
})
