/** People with WordPress users on sites, for tests of what becomes of these users. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { FakeSite } from '#server/engines/fake/fake-site.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { siteRef } from '#server/features/sites/engine-of.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { sessionOf } from './documents.ts'
import { addMember, untilEnded } from './jobs.ts'
import { openTestSites, type TestSites } from './sites.ts'

type FakeUsers = NonNullable<FakeSite['users']>

/** Sites, and what people do on them. */
export interface SitePeople extends TestSites {
  system<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A new member of acme. */
  member(role: OrganizationRole, firstName?: string): Promise<Session>
  /** Removes somebody from acme. */
  removeMember(person: Session): Promise<void>
  memberRow(tx: Tx, person: Session): Promise<string>
  /** Opens the admin as a person does; returns the link. */
  openAdmin(site: Site, session: Session): Promise<string>
  /** Uses a link; returns whether it signed somebody in. */
  redeem(site: Site, link: string): Promise<boolean>
  usersIn(site: Site): Promise<FakeUsers>
  loginsIn(site: Site): Promise<string[]>
  syncJobs(site: Site): Promise<Job[]>
  /** Waits until every removal that was started has ended; returns the outcomes. */
  removals(site: Site): Promise<string[]>
}

export async function openSitePeople(): Promise<SitePeople> {
  const t = await openTestSites()
  const system: SitePeople['system'] = (work) => t.running.documents.transaction(systemSession(), work)
  let people = 0
  const memberRow = async (tx: Tx, { user }: Session): Promise<string> =>
    String((await tx.find(OrganizationMemberDoctype, [['user', '=', user]]))?.name)
  const usersIn = async (site: Site): Promise<FakeUsers> => {
    const stored = JSON.parse(await readFile(join(t.folder, `${site.name}.json`), 'utf8')) as FakeSite
    return stored.users ?? []
  }
  const syncJobs = (site: Site): Promise<Job[]> =>
    system((tx) =>
      tx.list(JobDoctype, [
        ['reference_name', '=', site.name],
        ['job_type', '=', 'site.sync_users'],
      ]),
    )
  return {
    ...t,
    system,
    memberRow,
    usersIn,
    syncJobs,
    async member(role, firstName = 'Mia') {
      people += 1
      const email = `person${people}@acme.example`
      await system(async (tx) => {
        await addMember(tx, 'acme', { email, name: firstName, role })
      })
      return sessionOf(email, 'acme', { fullName: firstName })
    },
    removeMember: (person) => system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, person))),
    openAdmin: async (site, session) => String((await t.act(site.name, 'login_link', {}, session))?.['url']),
    async redeem(site, link) {
      const { pathname, search } = new URL(link)
      const response = await t.engine.request(siteRef(site, thisMachine), pathname + search)
      return response.headers['set-cookie'] !== undefined
    },
    loginsIn: async (site) => (await usersIn(site)).map(({ login }) => login),
    async removals(site) {
      const ended = await Promise.all((await syncJobs(site)).map(({ name }) => untilEnded(t.running.documents, name)))
      return ended.map(({ status }) => String(status))
    },
  }
}
