import { sql } from 'kysely'
import { assertFreshPassword } from '#server/contracts/session.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { checkOrganizationSlug, slugFromTitle } from '#shared/rules/slugs.ts'
import { msg } from '#shared/localized-message.ts'
import { chooseOrganization } from './current-organization.ts'
import type { OrganizationsDeps } from './deps.ts'
import { deleteOrganization, deleteOrganizationData } from './organization-deletion.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

/** Behavior of organizations: slug, owner, and local engine for the installation's first organization. */
export const organizationController = (deps: Pick<OrganizationsDeps, 'forgetSecrets'>): Controller =>
  controller(OrganizationDoctype, {
    async before_insert(doc, context) {
      if (!context.session.verified)
        throw new AppError('forbidden', msg`Verify your email address first.`, { excType: 'PermissionError' })
      const owner = text(doc._owner) || doc.owner
      await chooseSlug(doc, context.tx)
      doc._owner = owner
      doc.new_owner = null
      Object.assign(doc, { members: [{ user: owner, organization_role: 'Organization Admin' }] })
      doc.local_engine = (await context.tx.count(OrganizationDoctype, [])) === 0 ? 1 : 0
    },

    async validate(doc, before) {
      if (before && doc.slug !== before.slug) {
        throw new AppError('invalid', msg`The short name cannot be changed after creation.`, {
          field: 'slug',
          excType: 'CannotChangeConstantError',
        })
      }
    },

    async after_insert(doc, { tx }) {
      await chooseOrganization(tx, text(doc._owner), doc.name)
    },

    async on_update(doc, _before, { tx }) {
      await ensureOwnerIsMember(tx, doc)
    },

    async delete_request(doc, { session, tx }) {
      assertFreshPassword(session)
      await deleteOrganization(tx, doc)
      return {}
    },

    async after_delete(doc, { tx }) {
      await deleteOrganizationData(tx, doc.name)
      await deps.forgetSecrets(doc.name, tx.trx)
    },
  })

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Inserts are serialized, so that two cannot get the same slug or both count as the first. */
async function chooseSlug(doc: Organization, tx: Tx): Promise<void> {
  await transactionLock(tx, 'organization')
  const given = text(doc.slug)
  const slug = given || slugFromTitle(text(doc.title))
  const problem = slug === '' ? msg`Choose a short name of 3 to 32 letters and digits.` : checkOrganizationSlug(slug)
  if (problem)
    throw new AppError('invalid', problem, {
      field: text(doc.title) === '' && given === '' ? 'title' : 'slug',
      excType: 'ValidationError',
    })
  if (await isSlugTaken(tx, slug)) {
    throw new AppError('conflict', msg`Organization ${slug} already exists`, {
      field: 'slug',
      excType: 'DuplicateEntryError',
      nextAction: msg`Choose another short name.`,
    })
  }
  doc.slug = slug
  doc.is_default_slug = given === '' ? 1 : 0
}

/** Whether a slug is or was used. The log of a deleted organization keeps its slug and must not pass to a new one. */
export async function isSlugTaken(tx: Tx, slug: string): Promise<boolean> {
  if (await tx.get(OrganizationDoctype, slug)) return true
  const { rows } = await sql`select 1 from easydash_activity_head where chain = ${slug}`.execute(tx.trx)
  return rows.length > 0
}

/** The owner is always a member with the role Organization Admin (docs/contracts/screens.md, section 3). */
export async function ensureOwnerIsMember(tx: Tx, organization: Pick<Organization, 'name' | '_owner'>): Promise<void> {
  const owner = text(organization._owner)
  if (owner === '') return
  const row = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization.name],
    ['user', '=', owner],
  ])
  if (!row) {
    await tx.insert(OrganizationMemberDoctype, {
      parent: organization.name,
      parenttype: 'Organization',
      parentfield: 'members',
      user: owner,
      organization_role: 'Organization Admin',
    })
  } else if (row.organization_role !== 'Organization Admin') {
    await tx.update(OrganizationMemberDoctype, row.name, { organization_role: 'Organization Admin' })
  }
}
