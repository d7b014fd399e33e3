import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { planChange } from '#shared/responses/billing.ts'
import { AppError } from '#shared/errors.ts'
import { planNames, type ByResource } from '#shared/rules/plans.ts'
import * as z from 'zod/mini'
import { check, data, int, select } from '#shared/fields.ts'
import { maxQuotaValue, type QuotaName } from '#shared/rules/site-quotas.ts'
import { msg } from '#shared/localized-message.ts'
import { organizationActions } from '#shared/responses/platform.ts'

const organization = data({ reqd: true, length: 64 })

/** A limit override; 0 and -1 mean unlimited. */
const limit = () => int({ min: -1, max: 1_000_000 })

/** A quota override in megabytes or files; 0 means unlimited. */
const quota = () => int({ min: 0, max: maxQuotaValue })

/**
 * Methods by which platform admins change an organization. Each change is logged in that organization's activity log with
 * its actor.
 */
export function organizationAdminMethods(): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.platform.set_plan',
      access: 'platform',
      verbs: ['POST'],
      description: 'Gives an organization a plan at once.',
      params: { organization, plan: select(planNames, { reqd: true }) },
      returns: planChange,
      async run({ organization: name, plan }, { documents, session }) {
        // A missing organization is reported as such, not as a missing subscription.
        const { name: found } = await documents.get(session, 'Organization', name)
        const args = { plan, when: 'now', grant: 1 }
        const response = await documents.runAction(session, 'Subscription Organization', found, 'change_plan', args)
        return z.parse(planChange, response)
      },
    }),
    defineMethod({
      name: 'easydash.api.platform.set_limits',
      access: 'platform',
      verbs: ['POST'],
      description:
        "Grants an organization limits of its own in place of its plan's; one that is absent or null follows the plan again, 0 means no limit. Nothing that exists is touched.",
      params: { organization, site: limit(), server: limit() },
      returns: organizationActions.limits,
      run: setLimits,
    }),
    defineMethod({
      name: 'easydash.api.platform.set_site_quotas',
      access: 'platform',
      verbs: ['POST'],
      description:
        "Grants an organization's sites on this machine quotas of their own in place of those of their types; one that is absent or null follows the type again, 0 means no limit. Applies within a minute.",
      params: { organization, disk_mb: quota(), files: quota(), log_mb: quota(), outbox_mb: quota() },
      returns: organizationActions.quotas,
      run: setSiteQuotas,
    }),
    defineMethod({
      name: 'easydash.api.platform.set_modules',
      access: 'platform',
      verbs: ['POST'],
      description: 'Switches the modules of an organization: ee (servers) and wpc (WP Cloud).',
      params: { organization, ee: check({ reqd: true }), wpc: check({ reqd: true }) },
      returns: organizationActions.modules,
      run: ({ organization: name, ee, wpc }, context) =>
        change(name, { module_ee: ee, module_wpc: wpc }, context, ({ module_ee, module_wpc }) => ({
          ee: module_ee === 1,
          wpc: module_wpc === 1,
        })),
    }),
    defineMethod({
      name: 'easydash.api.platform.grant_local_engine',
      access: 'platform',
      verbs: ['POST'],
      description:
        'Lets an organization put sites on this machine (it gets a server for it), or ends that. It cannot be ended while sites are on it, archived ones included.',
      params: { organization, granted: check({ reqd: true }) },
      returns: organizationActions.granted,
      run: ({ organization: name, granted }, context) =>
        change(name, { local_engine: granted }, context, ({ local_engine }) => ({ granted: local_engine === 1 })),
    }),
    defineMethod({
      name: 'easydash.api.platform.set_vip',
      access: 'platform',
      verbs: ['POST'],
      description:
        'Gives an organization the template of WordPress VIP (its members have `is_vip_enabled`), or takes it.',
      params: { organization, enabled: check({ reqd: true }) },
      returns: organizationActions.enabled,
      run: ({ organization: name, enabled }, context) =>
        change(name, { enable_vip_template: enabled }, context, ({ enable_vip_template: now }) => ({ enabled: now })),
    }),
    defineMethod({
      name: 'easydash.api.platform.set_organization_enabled',
      access: 'platform',
      verbs: ['POST'],
      description:
        'Disables an organization: its members lose every right in it within seconds, its data stays. Or enables it again.',
      params: { organization, enabled: check({ reqd: true }) },
      returns: organizationActions.enabled,
      run: ({ organization: name, enabled }, context) =>
        change(name, { enabled }, context, ({ enabled: now }) => ({ enabled: now })),
    }),
  ]
}

async function organizationNamed(tx: Tx, name: string): Promise<Organization> {
  const found = await tx.get(OrganizationDoctype, name, { lock: true })
  if (!found) throw new AppError('not_found', msg`Organization ${name} not found`, { field: 'organization' })
  return found
}

/** Updates fields of an organization; the store logs the old and new values. */
function change<A extends object>(
  name: string,
  values: Partial<Organization>,
  { documents, session }: MethodContext,
  response: (now: Organization) => A,
): Promise<A & { organization: string }> {
  return documents.transaction(session, async (tx) => {
    const before = await organizationNamed(tx, name)
    const now = await tx.update(OrganizationDoctype, before.name, values)
    return { organization: now.name, ...response(now) }
  })
}

const text = (value: number | undefined) => (value === undefined ? null : String(value))

function setLimits(params: { organization: string } & Partial<ByResource>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const before = await organizationNamed(tx, params.organization)
    const values = { site_limit_override: text(params.site), server_limit_override: text(params.server) }
    const now = await tx.update(OrganizationDoctype, before.name, values, { activity: false })
    const image = (of: Organization) => ({ site: of.site_limit_override, server: of.server_limit_override })
    // No one can read these fields, so the store does not log them; but the owner should see that they changed.
    await tx.activity({
      action: 'platform.set_limits',
      organization: before.name,
      reference_doctype: 'Organization',
      reference_name: before.name,
      reference_title: before.title,
      before: image(before),
      after: image(now),
    })
    return { organization: now.name, overrides: { site: params.site ?? null, server: params.server ?? null } }
  })
}

function setSiteQuotas(
  params: { organization: string } & Partial<Record<QuotaName, number>>,
  { documents, session }: MethodContext,
) {
  return documents.transaction(session, async (tx) => {
    const before = await organizationNamed(tx, params.organization)
    const { disk_mb = null, files = null, log_mb = null, outbox_mb = null } = params
    const granted = { disk_mb, files, log_mb, outbox_mb }
    const isNone = Object.values(granted).every((value) => value === null)
    const values = { site_quota_overrides: isNone ? null : granted }
    const now = await tx.update(OrganizationDoctype, before.name, values, { activity: false })
    // Like limits: nobody can read the field, but the owner should see that it changed.
    await tx.activity({
      action: 'platform.set_site_quotas',
      organization: before.name,
      reference_doctype: 'Organization',
      reference_name: before.name,
      reference_title: before.title,
      before: { ...before.site_quota_overrides },
      after: { ...now.site_quota_overrides },
    })
    return { organization: now.name, site_quotas: granted }
  })
}
