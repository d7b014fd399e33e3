import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { sameValue } from '#shared/same-value.ts'
import type { SitesDeps } from '../deps.ts'
import { checkWordPressUsers } from './check-users.ts'
import { requestOrganizationChecks, requestUserChecks } from './user-table.ts'

/**
 * When people may have lost rights, or have them again, a check of their WordPress users is requested in the same transaction, and
 * made right after it; a schedule makes up for one that an interruption prevented.
 */
export function wordpressRightsHooks(deps: SitesDeps): Controller[] {
  const now = () => formatTimestamp((deps.clock ?? systemClock).now())
  async function check(person: string, { tx }: HookContext): Promise<void> {
    await requestUserChecks(tx, person, now())
    tx.afterCommit(() => checkWordPressUsers(deps))
  }
  async function checkAll(organization: string, { tx }: HookContext): Promise<void> {
    await requestOrganizationChecks(tx, organization, now())
    tx.afterCommit(() => checkWordPressUsers(deps))
  }
  return [
    controller(OrganizationMemberDoctype, {
      async on_update(doc, before, context) {
        if (doc.organization_role !== before.organization_role) await check(doc.user, context)
      },
      after_delete: (doc, context) => check(doc.user, context),
    }),
    controller(DocShareDoctype, {
      async on_update(doc, before, context) {
        if (before.write === 1 && doc.write !== 1) await check(doc.user, context)
      },
      after_delete: (doc, context) => check(doc.user, context),
    }),
    controller(SiteDoctype, {
      async on_update(doc, before, context) {
        if (doc.owner !== before.owner) await check(before.owner, context)
      },
    }),
    controller(OrganizationDoctype, {
      async on_update(doc, before, context) {
        if (doc.enabled !== before.enabled) await checkAll(doc.name, context)
        if (doc.require_two_factor !== 1 || before.require_two_factor === 1) return
        for (const { user } of doc.members) await check(user, context)
      },
    }),
    controller(UserDoctype, {
      async on_update(doc, before, context) {
        const rights = ['enabled', 'email_verified', 'roles'] as const
        if (rights.some((field) => !sameValue(doc[field], before[field]))) await check(doc.name, context)
      },
      before_delete: (doc, context) => check(doc.name, context),
    }),
  ]
}
