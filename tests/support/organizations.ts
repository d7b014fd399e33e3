import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { setPlans } from './plans.ts'
import { createAccountsFixture, type AccountsFixture, type SettingOptions, type Visitor } from './accounts.ts'
import { signInStatuses } from '#server/features/accounts/sign-in/sign-in-status.ts'
import { createBilling } from '#server/features/billing/billing.ts'
import { createOrganizations } from '#server/features/organizations/organizations.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

/** Accounts and organizations, with common test operations. */
export interface OrganizationFixture extends AccountsFixture {
  /** Creates an organization and returns its signed-in owner. */
  owner(email: string, slug: string): Promise<Visitor>
  /** Adds an existing or new user to an organization and signs them in. */
  member(slug: string, email: string, role: OrganizationRole): Promise<Visitor>
  /** Generic insert, as called by the wire. */
  insert<D>(visitor: Visitor, doctype: string, values: Record<string, unknown>): Promise<D>
  organization(slug: string): Promise<Organization | null>
  /** Advances the clock used for plans. */
  pass(ms: number): void
  /** Runs scheduled work like the schedule would. */
  runScheduled(name: string): Promise<void>
}

/** Options of `createOrganizationFixture`. */
export interface OrganizationSettingOptions extends SettingOptions {
  /** Whether organizations have plans with limits (default true, unlike in a new installation). */
  plans?: boolean
}

/** Opens accounts and organizations on a fresh database. */
export async function createOrganizationFixture(
  options: OrganizationSettingOptions = {},
): Promise<OrganizationFixture> {
  let passed = 0
  const billing = createBilling({
    documents: () => fixture.documents,
    log: silentLog,
    payments: null,
    clock: { now: () => Date.now() + passed },
  })
  const feature = createOrganizations({
    config: { url: 'http://dash.test', productName: 'Easydash', smtpUrl: options.smtpUrl ?? null },
    documents: () => fixture.documents,
    mailer: { send: (_trx, mail) => Promise.resolve(fixture.mails.push(mail)) },
    rateLimiter: { hit: (bucket, key, within) => fixture.rateLimiter.hit(bucket, key, within) },
    pendingEmail: (user) => fixture.accounts.pendingEmail(user),
    confirmInvited: (tx, user, vouched) => fixture.accounts.confirmInvited(tx, user, vouched),
    signInStatuses,
    forgetSecrets: () => Promise.resolve(),
  })
  const fixture: AccountsFixture = await createAccountsFixture({
    ...options,
    further: {
      controllers: [...feature.controllers, ...billing.controllers],
      methods: () => [...feature.methods, ...billing.methods],
    },
  })
  await feature.prepare()
  await billing.prepare()
  await setPlans(fixture.documents, fixture.system, options.plans ?? true)
  const insert = async <D>(visitor: Visitor, doctype: string, values: Record<string, unknown>) => {
    const session = await visitor.session()
    if (!session) throw new Error('nobody is logged in')
    return (await fixture.documents.insert(session, doctype, values)) as D
  }
  return {
    ...fixture,
    insert,
    pass: (ms) => {
      passed += ms
    },
    async runScheduled(name) {
      const work = [...feature.schedules, ...billing.schedules].find((one) => one.name === name)
      if (!work) throw new Error(`There is no repeated work ${name}`)
      await work.run()
    },
    async owner(email, slug) {
      await fixture.person(email)
      const visitor = await fixture.loggedIn(email)
      await insert(visitor, 'Organization', { title: slug, slug })
      return visitor
    },
    async member(slug, email, role) {
      await fixture.documents.transaction(fixture.system, async (tx) => {
        if (await tx.get(UserDoctype, email)) return
      })
      if (!(await fixture.documents.transaction(fixture.system, (tx) => tx.get(UserDoctype, email))))
        await fixture.person(email)
      await fixture.documents.transaction(fixture.system, (tx) =>
        tx.insert(OrganizationMemberDoctype, {
          parent: slug,
          parenttype: 'Organization',
          parentfield: 'members',
          user: email,
          organization_role: role,
        }),
      )
      return fixture.loggedIn(email)
    },
    organization: (slug) => fixture.documents.transaction(fixture.system, (tx) => tx.get(OrganizationDoctype, slug)),
  }
}
