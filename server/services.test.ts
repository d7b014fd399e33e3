import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import { makeInstallation, type Installation } from '#tests/support/installation.ts'
import { activityWording } from '#shared/activity-wording.ts'
import { checkOrganizationSlug } from '#shared/rules/slugs.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let installation: Installation
beforeAll(async () => {
  installation = await makeInstallation({ EASYDASH_SECRET_KEYS: `v1:${Buffer.alloc(32, 1).toString('base64')}` })
})
afterAll(() => installation.end())

test('an organization takes its keys along; those of second factors are of no organization', async () => {
  expect(checkOrganizationSlug('accounts')?.text).toContain('reserved')
  await installation.withServices(async ({ documents }) => {
    const { db } = installation.database
    const scopes = async () =>
      (await sql<{ scope: string }>`select scope from easydash_data_key order by scope`.execute(db)).rows.map(
        ({ scope }) => scope,
      )
    // The start made the one that the SSH key of the installation is sealed with.
    expect(await scopes()).toEqual(['accounts'])
    await sql`insert into easydash_data_key (scope, version, wrapped, ring_version)
      values ('audit heads', 1, 'x', 1), ('plain', 1, 'x', 1)`.execute(db)
    const system = sessionOf('System', null, { kind: 'system', via: 'schedule', id: null })
    await documents.transaction(system, (tx) =>
      tx.insert(OrganizationDoctype, { slug: 'plain', title: 'plain', _owner: 'System' }),
    )
    await documents.transaction(system, (tx) => tx.delete(OrganizationDoctype, 'plain'))
    expect(await scopes()).toEqual(['accounts', 'audit heads'])
  })
})

test('the activity log has words for every kind of job', async () => {
  await installation.withServices(({ parts }) => {
    const types = parts.jobs.map(({ type }) => type)
    expect(types.filter((type) => activityWording(type) === undefined)).toEqual([])
    return Promise.resolve()
  })
})

test('the timers that hide whether an address has an account are the real ones', async () => {
  await installation.withServices(async ({ documents, parts }) => {
    const reset = parts.methods.find(({ name }) => name.endsWith('.reset_password'))!
    const unused = () => Promise.reject(new Error('not for guests'))
    const begun = performance.now()
    await reset.run(
      { user: 'nobody@example.com' },
      {
        session: sessionOf('Guest', null, { kind: 'guest', id: null }),
        documents,
        ip: '203.0.113.7',
        userAgent: '',
        device: null,
        machineToken: null,
        signIn: unused,
        rememberDevice: unused,
        signOut: unused,
        notice: () => undefined,
        extra: () => undefined,
      },
    )
    expect(performance.now() - begun).toBeGreaterThan(148)
  })
})
