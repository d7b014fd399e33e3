import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { EngineStep } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { SiteJobContext } from './job-parts.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { deleteSiteJob } from './archive-jobs.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { ApiTokenDoctype } from '#shared/doctypes/api-token.ts'

let t: TestSites
beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

/** Creates a member; `become` changes their role. */
async function member(email: string): Promise<{ session: Session; become(role: OrganizationRole): Promise<void> }> {
  const { documents } = t.running
  const row = await documents.transaction(systemSession(), async (tx) => {
    const user = { email, first_name: 'Max', enabled: 1, email_verified: 1, roles: ['Easydash User'] }
    await tx.insert('User', user)
    return tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: email,
      organization_role: 'Organization Manager',
    })
  })
  return {
    session: sessionOf(email, 'acme'),
    async become(organization_role) {
      await documents.transaction(systemSession(), (tx) =>
        tx.update(OrganizationMemberDoctype, row.name, { organization_role }),
      )
    },
  }
}

/** Makes the engine run something right before one of its steps, once. */
function before(kind: 'archiveSteps' | 'restoreArchiveSteps', key: string, act: () => Promise<void>): void {
  const usual = t.engine[kind]
  t.engine[kind] = (site: SiteRef): EngineStep[] => {
    const steps = usual(site)
    const at = steps.findIndex((step) => step.key === key)
    const extra: EngineStep = {
      key: `before_${key}`,
      label: 'Wait',
      async run() {
        t.engine[kind] = usual
        await act()
      },
    }
    return steps.toSpliced(at, 0, extra)
  }
}

describe('a person whose rights end while the job works', () => {
  test('archiving removes no files; an admin who retries finishes it, with a token only if its scopes reach the site', async () => {
    const site = await t.live('archive-me')
    const { session, become } = await member('archiver@acme.example')
    before('archiveSteps', 'remove_files', () => become('Organization User'))
    const { job } = (await t.act(site.name, 'archive', { confirm_name: site.domain }, session)) as { job: string }
    const ended = await untilEnded(t.running.documents, job)
    expect(ended).toMatchObject({
      status: 'Failed',
      error_code: 'forbidden',
      next_action: expect.stringMatching(/admin/),
    })
    expect(t.engine.begun).toContain('archive-me:pack_files')
    expect(t.engine.begun).not.toContain('archive-me:remove_files')
    const retry = (who: Session) => t.running.documents.runAction(who, 'Job', job, 'retry', {})
    const { name } = (await t.running.documents.transaction(systemSession(), (tx) =>
      tx.insert(ApiTokenDoctype, {
        ...{ organization: 'acme', user: t.owner.user, title: 'deploy', role: 'Organization Admin', api_key: 'key' },
      }),
    )) as { name: string }
    const byToken = (scopes: NonNullable<Session['token']>['scopes']): Session => ({
      ...t.owner,
      kind: 'token',
      token: { name, organization: 'acme', role: 'Organization Admin', scopes },
    })
    await expect(retry(byToken(['jobs:write', 'sites:read']))).rejects.toMatchObject({ code: 'forbidden' })
    await retry(byToken(['jobs:write', 'sites:write']))
    expect(await untilEnded(t.running.documents, job)).toMatchObject({ status: 'Done', owner: t.owner.user })
    expect(await t.siteNow(site.name)).toMatchObject({ status: 'Archived' })
  })

  test('archiving requires the permission to remove a site: users who by then can only edit remove nothing', async () => {
    const site = await t.live('shared-with-me')
    const { session, become } = await member('sharer@acme.example')
    await become('Organization User')
    const inSystem = t.running.documents.transaction.bind(t.running.documents, systemSession())
    const share = (await inSystem((tx) =>
      tx.insert(DocShareDoctype, {
        organization: 'acme',
        share_doctype: 'Site',
        share_name: site.name,
        user: session.user,
        ...{ read: 1, write: 1, share: 1 },
      }),
    )) as { name: string }
    before('archiveSteps', 'remove_files', async () => {
      await inSystem((tx) => tx.update(DocShareDoctype, share.name, { share: 0 }))
    })
    const { job } = (await t.act(site.name, 'archive', { confirm_name: site.domain }, session)) as { job: string }
    expect(await untilEnded(t.running.documents, job)).toMatchObject({ status: 'Failed', error_code: 'forbidden' })
    expect(t.engine.begun).not.toContain('shared-with-me:remove_files')
    // A rejected retry neither changes the site nor locks it.
    const left = await t.siteNow(site.name)
    await expect(t.running.documents.runAction(session, 'Job', job, 'retry', {})).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await t.siteNow(site.name)).toEqual(left)
  })

  test('restoring overwrites nothing', async () => {
    const site = await t.live('restore-me')
    await t.end(await t.act(site.name, 'archive', { confirm_name: site.domain }))
    const { session, become } = await member('restorer@acme.example')
    before('restoreArchiveSteps', 'unpack_files', () => become('Organization User'))
    const { job } = (await t.act(site.name, 'restore_archive', {}, session)) as { job: string }
    expect(await untilEnded(t.running.documents, job)).toMatchObject({ status: 'Failed', error_code: 'forbidden' })
    expect(t.engine.begun).not.toContain('restore-me:unpack_files')
  })

  test('deleting permanently checks permissions before the removal', async () => {
    const context = {
      args: { site: { id: 'abcdefghij', server: { id: 'gone' } }, engine: 'fake' },
      transaction: (work: Parameters<SiteJobContext['transaction']>[0]) =>
        t.running.documents.transaction(systemSession(), work),
    } as unknown as SiteJobContext
    const steps = await deleteSiteJob(t.deps).steps(context)
    expect(steps.filter(({ destructive }) => destructive).map(({ key }) => key)).toEqual(['remove'])
  })
})
