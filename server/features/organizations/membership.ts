import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import {
  OrganizationMemberDoctype,
  organizationRoles,
  type OrganizationRole,
} from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { caller, described, nothing, person } from '#shared/schema.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { checkOrganizationSlug } from '#shared/rules/slugs.ts'
import { msg } from '#shared/localized-message.ts'
import type { OrganizationsDeps } from './deps.ts'
import { chooseOrganization, endMembership } from './current-organization.ts'
import { isSlugTaken } from './organization-controller.ts'

const userMeta = (name: string) => `easydash.easydash.doctype.user_meta.user_meta.${name}`

/** An organization the caller is a member of. */
export interface AvailableOrganization {
  name: string
  title: string
  role: OrganizationRole
  /** The organization requires two-factor authentication, which the caller has not set up: there is no access until then. */
  two_factor_needed?: true
}

const roleSchema = z.enum(organizationRoles)

const metadataSchema = z.object({
  org_slug: z.nullable(z.string()),
  org_title: z.nullable(z.string()),
  org_role: z.nullable(roleSchema),
  org_owner: z.nullable(person),
  is_owner: z.boolean(),
  available_orgs: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      role: roleSchema,
      two_factor_needed: z.optional(
        described(z.literal(true), 'No access until the caller has two-factor authentication'),
      ),
    }),
  ),
  is_ed_admin: z.boolean(),
  is_ed_org_admin: z.boolean(),
  has_ed_org_level_role: z.boolean(),
  is_vip_enabled: z.boolean(),
  pending_email: z.nullable(caller),
})

/** Methods for the caller's organizations. */
export function membershipMethods(deps: OrganizationsDeps): Method[] {
  return [
    defineMethod({
      name: userMeta('get_current_user_organization_metadata'),
      access: 'self',
      verbs: ['GET', 'POST'],
      description: 'The chosen organization of the caller, the role there, and every organization to choose from.',
      returns: metadataSchema,
      run: (_params, context) => metadata(deps, context),
    }),
    defineMethod({
      name: userMeta('switch_organization'),
      access: 'verified',
      verbs: ['POST'],
      description: "Makes one of the caller's organizations the chosen one.",
      params: { organization: data({ reqd: true, length: 64 }) },
      returns: z.object({ organization: z.string() }),
      run: ({ organization }, context) => switchOrganization(String(organization ?? ''), context),
    }),
    defineMethod({
      name: 'easydash.api.account.leave_organization',
      access: 'verified',
      verbs: ['POST'],
      description:
        "Leaves one of the caller's organizations, also one to which they have no access for want of two-factor authentication.",
      params: { organization: data({ reqd: true, length: 64 }) },
      returns: nothing,
      run: ({ organization }, context) => leave(String(organization ?? ''), context),
    }),
    defineMethod({
      name: 'easydash.api.modules.enabled_modules',
      access: 'self',
      tokens: 'organization:read',
      verbs: ['GET', 'POST'],
      description: 'Modules that are on in the chosen organization: ee (servers) and wpc (WP Cloud).',
      returns: z.object({ ee: z.boolean(), wpc: z.boolean() }),
      async run(_params, context) {
        const { session, documents } = context
        if (session.needsSecondFactor) return { ee: false, wpc: false }
        const current = await documents.transaction(session, (tx) => currentOrganization(tx, session))
        return { ee: current?.module_ee === 1, wpc: current?.module_wpc === 1 }
      },
    }),
    defineMethod({
      name: 'easydash.api.organization.is_slug_available',
      access: 'verified',
      verbs: ['GET', 'POST'],
      description: 'Whether an organization can be created with this slug.',
      params: { slug: data({ reqd: true, length: 200 }) },
      returns: z.boolean(),
      run: ({ slug }, context) => isSlugAvailable(String(slug ?? ''), context),
    }),
  ]
}

/** The caller's chosen organization, or null. */
export function currentOrganization(tx: Tx, session: Session): Promise<Organization | null> {
  return session.organization === null ? Promise.resolve(null) : tx.get(OrganizationDoctype, session.organization)
}

/** A user's organizations, sorted by title. */
async function organizationsOf(tx: Tx, user: string): Promise<AvailableOrganization[]> {
  const members = await tx.list(OrganizationMemberDoctype, [['user', '=', user]])
  const rows =
    members.length === 0
      ? []
      : await tx.list(OrganizationDoctype, [
          ['name', 'in', members.map((member) => member.parent)],
          ['enabled', '=', 1],
        ])
  const account = rows.some((row) => row.require_two_factor === 1) ? await tx.get(UserDoctype, user) : null
  const needs = (required: number | null) => required === 1 && account?.two_factor !== 1
  const roleIn = new Map(members.map((member) => [member.parent, member.organization_role]))
  return rows
    .map(({ name, title, require_two_factor }) => ({
      name,
      title,
      role: roleIn.get(name) ?? 'Organization User',
      ...(needs(require_two_factor) && { two_factor_needed: true as const }),
    }))
    .sort((a, b) => a.title.localeCompare(b.title) || (a.name < b.name ? -1 : 1))
}

async function metadata(deps: OrganizationsDeps, context: MethodContext) {
  const { session } = context
  const found = await context.documents.transaction(session, async (tx) => ({
    organizations: session.verified ? await organizationsOf(tx, session.user) : [],
    current: session.verified ? await currentOrganization(tx, session) : null,
  }))
  const { organizations, current } = found
  const role = organizations.find(({ name }) => name === current?.name)?.role ?? null
  return {
    org_slug: current?.name ?? null,
    org_title: current?.title ?? null,
    org_role: role,
    // Who lacks the required two-factor authentication learns the organization's name and how to enter or leave it.
    org_owner: session.needsSecondFactor ? null : (current?._owner ?? null),
    is_owner: role !== null && current?._owner === session.user,
    available_orgs: organizations,
    is_ed_admin: session.platformAdmin,
    is_ed_org_admin: role === 'Organization Admin',
    has_ed_org_level_role: role !== null,
    is_vip_enabled: role !== null && !session.needsSecondFactor && current?.enable_vip_template === 1,
    pending_email: session.verified ? null : await deps.pendingEmail(session.user),
  }
}

async function switchOrganization(organization: string, context: MethodContext): Promise<{ organization: string }> {
  const { session, documents } = context
  return documents.transaction(session, async (tx) => {
    const target = (await organizationsOf(tx, session.user)).find(({ name }) => name === organization)
    // An organization the caller is not in is reported like one that does not exist.
    if (!target) throw new AppError('not_found', msg`Organization ${organization.slice(0, 64)} not found`)
    if (session.organization === target.name) context.notice('Already In The Selected Organization', 'Message', 'blue')
    await chooseOrganization(tx, session.user, target.name)
    if (session.organization !== target.name) {
      await tx.activity({
        action: 'organization.switch',
        organization: target.name,
        reference_doctype: 'Organization',
        reference_name: target.name,
        reference_title: target.title,
        before: { organization: session.organization },
        after: { organization: target.name },
      })
    }
    return { organization: target.name }
  })
}

async function leave(organization: string, { session, documents }: MethodContext): Promise<null> {
  return documents.transaction(session, async (tx) => {
    await endMembership(tx, organization, session.user)
    await tx.activity({
      action: 'Organization.leave',
      organization,
      reference_doctype: 'Organization',
      reference_name: organization,
      reference_title: (await tx.get(OrganizationDoctype, organization))?.title ?? organization,
    })
    return null
  })
}

async function isSlugAvailable(slug: string, context: MethodContext): Promise<boolean> {
  if (checkOrganizationSlug(slug) !== null) return false
  return context.documents.transaction(context.session, async (tx) => !(await isSlugTaken(tx, slug)))
}
