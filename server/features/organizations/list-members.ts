import { sql } from 'kysely'
import { accessContextIn, listAllRows, listScope, tableRef } from '#server/documents/documents.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'
import type { ListedMember } from '#shared/responses/members.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { benefitsFromShares } from '#shared/rules/shares.ts'
import type { OrganizationsDeps } from './deps.ts'

/** What the list shows of a member row. */
const memberFields = ['name', 'user', 'organization_role', 'creation'] as const

/**
 * Members with the columns of their list. Which members are listed follows the normal list permissions; sign-in methods and
 * last activity are returned only to the owner and admins.
 */
export async function listMembers(
  deps: Pick<OrganizationsDeps, 'signInStatuses'>,
  organization: string,
  { session, tx }: HookContext,
): Promise<ListedMember[]> {
  const members = await readableMembers(organization, { session, tx })
  const users = members.map(({ user }) => user)
  const { roles } = await accessContextIn(tx.trx, session, organization)
  const showsPrivate = roles.includes('Owner') || roles.includes('Organization Admin')
  const profiles = await profilesOf(tx, organization, users)
  const signIns = new Map(
    (showsPrivate ? await deps.signInStatuses(tx.trx, users) : []).map((status) => [status.user, status]),
  )
  const active = showsPrivate ? await lastActionTimes(tx, organization, users) : new Map<string, string>()
  return members.map(({ name, user, organization_role, creation }) => {
    const profile = profiles.get(user)
    const signIn = signIns.get(user)
    return {
      name,
      user,
      full_name: profile?.full_name ?? null,
      user_image: profile?.user_image ?? null,
      organization_role,
      is_owner: profile?.is_owner ?? false,
      joined: creation,
      sites: benefitsFromShares(SiteDoctype, organization_role) ? (profile?.sites ?? 0) : null,
      ssh_keys: showsPrivate ? (profile?.ssh_keys ?? 0) : null,
      two_factor: showsPrivate ? (signIn?.secondFactor ?? false) : null,
      // Activity in other organizations must not be visible here.
      last_active: latest(active.get(user), profile?.works_here ? signIn?.lastUsed : null),
    }
  })
}

async function readableMembers(
  organization: string,
  { session, tx }: Pick<HookContext, 'session' | 'tx'>,
): Promise<Pick<OrganizationMember, (typeof memberFields)[number]>[]> {
  const typeByName = typesByName(doctypes)
  const scope = await listScope(tx.trx, { ...session, organization }, OrganizationMemberDoctype, typeByName)
  return listAllRows(tx.trx, { fields: memberFields, filters: [['parent', '=', organization]] }, scope)
}

interface PersonRow {
  user: string
  full_name: string | null
  user_image: string | null
  is_owner: boolean
  works_here: boolean
  ssh_keys: number
  sites: number
}

/**
 * Names and counts. `sites` counts what a plain member sees: their own sites and those shared with them for reading, except
 * archived ones.
 */
async function profilesOf(tx: Tx, organization: string, users: readonly string[]): Promise<Map<string, PersonRow>> {
  const { rows } = await sql<PersonRow>`
    with seen as (
      select s.owner as "user", s.name from ${tableRef('Site')} s
        where s.organization = ${organization} and s.status <> 'Archived'
      union
      select d."user", s.name from ${tableRef('DocShare')} d join ${tableRef('Site')} s on s.name = d.share_name
        where d.organization = ${organization} and d.share_doctype = 'Site' and d.read = 1
          and s.organization = ${organization} and s.status <> 'Archived'),
    counted as (select "user", count(*)::int as sites from seen group by "user")
    select u.name as "user", u.full_name, u.user_image, coalesce(o._owner = u.name, false) as is_owner,
      coalesce(meta.current_organization = ${organization}, false) as works_here,
      (select count(*)::int from ${tableRef('SSH Key')} k where k.parent = u.name) as ssh_keys,
      coalesce(counted.sites, 0) as sites
    from ${tableRef('User')} u
    join ${tableRef('Organization')} o on o.name = ${organization}
    left join ${tableRef('User Meta')} meta on meta.name = u.name
    left join counted on counted."user" = u.name
    where u.name = any(${[...users]}::text[])`.execute(tx.trx)
  return new Map(rows.map((row) => [row.user, row]))
}

/** Time of each user's last action in the organization, from its activity log. */
async function lastActionTimes(tx: Tx, organization: string, users: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ actor: string; at: string }>`
    select a.actor, to_char(max(a.creation), 'YYYY-MM-DD HH24:MI:SS.US') as at from ${tableRef('Activity')} a
    where a.organization = ${organization} and a.actor = any(${[...users]}::text[]) group by a.actor`.execute(tx.trx)
  return new Map(rows.map(({ actor, at }) => [actor, at]))
}

/** The later of two wire timestamps. */
function latest(a: string | null | undefined, b: string | null | undefined): string | null {
  return [a ?? null, b ?? null].reduce(
    (found, time) => (time !== null && (found === null || time > found) ? time : found),
    null,
  )
}
