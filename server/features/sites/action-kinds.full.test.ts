import { afterAll, beforeAll, expect, test } from 'vitest'
import { appliesTo } from '#shared/action-state.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

test('actions of other kinds of sites are refused with the field that is in the way, before their values are read', async () => {
  const site = await t.live('plain', { site_type: 'html' })
  const others = Object.entries(SiteDoctype.actions ?? {}).filter(
    ([, action]) => !action.reauth && !appliesTo(action, site),
  )
  expect(others.length).toBeGreaterThan(40)
  for (const [name, action] of others)
    expect([name, await rejectionOf(t.act(site.name, name, { version: {} }))]).toMatchObject([
      name,
      { code: 'unsupported', field: action.for?.[0] },
    ])
  expect(await rejectionOf(t.act(site.name, 'set_php_version', {}))).toMatchObject({
    message: 'Change PHP version is not possible for a site whose Type is html.',
  })
  expect(await rejectionOf(t.act(site.name, 'plan_push', {}))).toMatchObject({ field: 'staging_of' })
})
