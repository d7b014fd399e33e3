import { sql } from 'kysely'
import { hasFreshPassword } from '#server/documents/actions.ts'
import { tableRef } from '#server/documents/schema.ts'
import type { Controller, HookContext, Tx } from '#server/documents/types.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import type { OrganizationMember } from '#shared/doctypes/organization-member.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { checkOrganizationSlug, slugFromTitle } from '#shared/rules/slugs.ts'

/** Behaviour of organizations: slug, owner, first organization of the installation. */
export const organizationController: Controller = {
  doctype: 'Organization',

  async before_insert(doc, context) {
    if (!context.session.verified)
      throw new AppError('forbidden', 'Verify your e-mail address first.', { excType: 'PermissionError' })
    const owner = text(doc['_owner']) || doc.owner
    await chooseSlug(doc, context.tx)
    doc['_owner'] = owner
    doc['new_owner'] = null
    doc['members'] = [{ user: owner, organization_role: 'Organization Admin' }]
    doc['local_engine'] = (await context.tx.count('Organization', [])) === 0 ? 1 : 0
  },

  async validate(doc, before) {
    doc['title'] = text(doc['title'])
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim()
    if (before && doc['slug'] !== before['slug']) {
      throw new AppError('invalid', 'The short name cannot be changed after creation.', {
        field: 'slug',
        excType: 'CannotChangeConstantError',
      })
    }
  },

  async after_insert(doc, { tx }) {
    await chooseOrganization(tx, text(doc['_owner']), doc.name)
  },

  async on_update(doc, _before, { tx }) {
    await keepOwnerAsMember(tx, doc)
  },

  async delete_request(doc, { session, tx }) {
    refuseWithoutFreshPassword(session)
    const organization = doc.name
    const sites = await tx.count('Site', [['organization', '=', organization]])
    const servers = await tx.list<AnyDoc>('Server', [['organization', '=', organization]])
    const machines = servers.filter((server) => server['engine'] !== 'local')
    if (sites > 0 || machines.length > 0) {
      throw new AppError('invalid', `${text(doc['title'])} still has ${sites} sites and ${machines.length} servers.`, {
        excType: 'LinkExistsError',
        nextAction: 'Delete them first; sites in the archive, too.',
      })
    }
    for (const server of servers) await tx.delete('Server', server.name)
    for (const member of doc['members'] as AnyDoc[]) await leave(tx, String(member['user']), organization)
    await deleteRemains(tx, organization)
    await tx.delete('Organization', organization)
    return {}
  },
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Inserts decide one after the other, so that two with one slug and two "first" ones cannot happen. */
async function chooseSlug(doc: AnyDoc, tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('easydash:organization', 0))`.execute(tx.trx)
  const given = text(doc['slug'])
  const slug = given || slugFromTitle(text(doc['title']))
  const problem = slug === '' ? 'Choose a short name of 3 to 32 letters and digits.' : checkOrganizationSlug(slug)
  if (problem)
    throw new AppError('invalid', problem, {
      field: text(doc['title']) === '' && given === '' ? 'title' : 'slug',
      excType: 'ValidationError',
    })
  if (await tx.get('Organization', slug)) {
    throw new AppError('conflict', `Organization ${slug} already exists`, {
      field: 'slug',
      excType: 'DuplicateEntryError',
      nextAction: 'Choose another short name.',
    })
  }
  doc['slug'] = slug
  doc['is_default_slug'] = given === '' ? 1 : 0
}

/** Makes an organization the one a user works in. */
export async function chooseOrganization(tx: Tx, user: string, organization: string | null): Promise<void> {
  const row = await tx.get('User Meta', user)
  if (row) await tx.update('User Meta', user, { current_organization: organization }, { activity: false })
  else await tx.insert('User Meta', { user, current_organization: organization }, { owner: user, activity: false })
}

/** Lets a user who worked in the organization work in the next one, or in none. */
export async function leave(tx: Tx, user: string, organization: string): Promise<void> {
  const meta = await tx.get<AnyDoc>('User Meta', user)
  if (meta?.['current_organization'] !== organization) return
  const rows = await tx.list<OrganizationMember>('Organization Member', [['user', '=', user]])
  await chooseOrganization(tx, user, rows.find((row) => row.parent !== organization)?.parent ?? null)
}

/** Jobs, shares and the like go with the organization; its activity log stays. */
async function deleteRemains(tx: Tx, organization: string): Promise<void> {
  for (const type of doctypes) {
    if (type.tenant !== 'organization' || type.append_only) continue
    await sql`delete from ${tableRef(type.name)} where organization = ${organization}`.execute(tx.trx)
  }
}

/** The owner is always a member with the role Organization Admin (specification section 3). */
async function keepOwnerAsMember(tx: Tx, organization: AnyDoc): Promise<void> {
  const owner = text(organization['_owner'])
  if (owner === '') return
  const row = await tx.find<AnyDoc>('Organization Member', [
    ['parent', '=', organization.name],
    ['user', '=', owner],
  ])
  if (!row) {
    await tx.insert('Organization Member', {
      parent: organization.name,
      parenttype: 'Organization',
      parentfield: 'members',
      user: owner,
      organization_role: 'Organization Admin',
    })
  } else if (row['organization_role'] !== 'Organization Admin') {
    await tx.update('Organization Member', row.name, { organization_role: 'Organization Admin' })
  }
}

function refuseWithoutFreshPassword(session: HookContext['session']): void {
  if (session.kind === 'system' || hasFreshPassword(session)) return
  throw new AppError('forbidden', 'Confirm your password first.', {
    excType: 'PermissionError',
    nextAction: 'Confirm your password, then try again within ten minutes.',
  })
}
