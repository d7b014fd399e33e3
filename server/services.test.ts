import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import { makeInstallation, type Installation } from '#tests/support/installation.ts'
import { checkOrganizationSlug } from '#shared/rules/slugs.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let installation: Installation
beforeAll(async () => {
  installation = await makeInstallation({ EASYDASH_SECRET_KEYS: `v1:${Buffer.alloc(32, 1).toString('base64')}` })
})
afterAll(() => installation.end())

test('the keys of second factors outlive every organization, whatever its name', async () => {
  expect(checkOrganizationSlug('accounts')?.text).toContain('reserved')
  await installation.withServices(async ({ documents }) => {
    const { db } = installation.database
    const scopes = async () =>
      (await sql<{ scope: string }>`select scope from easydash_data_key order by scope`.execute(db)).rows.map(
        ({ scope }) => scope,
      )
    await sql`insert into easydash_data_key (scope, version, wrapped, ring_version)
      values ('accounts', 1, 'x', 1), ('audit heads', 1, 'x', 1), ('plain', 1, 'x', 1)`.execute(db)
    const system = sessionOf('System', null, { kind: 'system', via: 'schedule', id: null })
    for (const slug of ['other', 'plain'])
      await documents.transaction(system, (tx) =>
        tx.insert(OrganizationDoctype, { slug, title: slug, _owner: 'System' }),
      )
    // An organization of an earlier version that took the name before it was reserved.
    await sql`update tab_organization set name = 'accounts', slug = 'accounts' where name = 'other'`.execute(db)
    for (const slug of ['accounts', 'plain'])
      await documents.transaction(system, (tx) => tx.delete(OrganizationDoctype, slug))
    expect(await scopes()).toEqual(['accounts', 'audit heads'])
  })
})
