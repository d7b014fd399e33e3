import type { Organization } from '#shared/doctypes/organization.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { createSetting, type Setting, type SettingOptions, type Visitor } from './accounts.ts'
import { createOrganizations } from '#server/features/organizations/organizations.ts'

/** Accounts and organizations together, with what tests do again and again. */
export interface OrganizationSetting extends Setting {
  /** A logged-in owner of a new organization. */
  owner(email: string, slug: string): Promise<Visitor>
  /** Adds an existing or new person to an organization and logs in. */
  member(slug: string, email: string, role: OrganizationRole): Promise<Visitor>
  /** The generic insert, as the wire calls it. */
  insert<D>(visitor: Visitor, doctype: string, values: Record<string, unknown>): Promise<D>
  organization(slug: string): Promise<Organization | null>
}

/** Opens accounts and organizations on a fresh database. */
export async function createOrganizationSetting(options: SettingOptions = {}): Promise<OrganizationSetting> {
  const feature = createOrganizations({
    config: { stripe: { secretKey: null, publishableKey: null, webhookSecret: null, apiBase: null } },
    pendingEmail: (user) => setting.accounts.pendingEmail(user),
  })
  const setting: Setting = await createSetting({
    ...options,
    further: { controllers: feature.controllers, methods: () => feature.methods },
  })
  const insert = async <D>(visitor: Visitor, doctype: string, values: Record<string, unknown>) => {
    const session = await visitor.session()
    if (!session) throw new Error('nobody is logged in')
    return (await setting.documents.insert(session, doctype, values)) as D
  }
  return {
    ...setting,
    insert,
    async owner(email, slug) {
      await setting.person(email)
      const visitor = await setting.loggedIn(email)
      await insert(visitor, 'Organization', { title: slug, slug })
      return visitor
    },
    async member(slug, email, role) {
      await setting.documents.transaction(setting.system, async (tx) => {
        if (await tx.get('User', email)) return
      })
      if (!(await setting.documents.transaction(setting.system, (tx) => tx.get('User', email))))
        await setting.person(email)
      await setting.documents.transaction(setting.system, (tx) =>
        tx.insert('Organization Member', {
          parent: slug,
          parenttype: 'Organization',
          parentfield: 'members',
          user: email,
          organization_role: role,
        }),
      )
      return setting.loggedIn(email)
    },
    organization: (slug) =>
      setting.documents.transaction(setting.system, (tx) => tx.get<Organization>('Organization', slug)),
  }
}
