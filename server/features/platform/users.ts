import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { tableRef } from '#server/documents/documents.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { PlatformUser } from '#shared/responses/platform.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype, adminProfile, platformRole, type User } from '#shared/doctypes/user.ts'
import { check, data, select } from '#shared/fields.ts'
import { containsText, equals, newestPage, pageParams } from './paging.ts'
import { userRights, usersPage } from '#shared/responses/platform.ts'

/** Methods for the accounts of the installation. Permission checks and the User hooks decide what may change. */
export function userMethods(): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.platform.users',
      access: 'platform',
      verbs: ['GET', 'POST'],
      description: 'Accounts of the installation, newest first. `total` counts all that match.',
      params: {
        txt: data({ description: 'Part of email or name' }),
        enabled: select(['0', '1']),
        ...pageParams,
      },
      returns: usersPage,
      run: list,
    }),
    defineMethod({
      name: 'easydash.api.platform.set_user_enabled',
      access: 'platform',
      verbs: ['POST'],
      description:
        'Disables an account (its sessions end, its waiting jobs lose their rights) or enables it again. Not the own one, and not the last platform admin.',
      params: { user: data({ reqd: true, length: 254 }), enabled: check({ reqd: true }) },
      returns: userRights,
      run: ({ user, enabled }, context) => save(user, { enabled: enabled === 1 ? 1 : 0 }, context),
    }),
    defineMethod({
      name: 'easydash.api.platform.set_user_roles',
      access: 'platform',
      verbs: ['POST'],
      description: `Makes an account a user of the platform (role '${platformRole}') and a platform admin (role profile '${adminProfile}'), or takes either away. Not the own one, and not the last platform admin.`,
      params: {
        user: data({ reqd: true, length: 254 }),
        platform_user: check({ reqd: true }),
        platform_admin: check({ reqd: true }),
      },
      returns: userRights,
      run: ({ user, platform_user, platform_admin }, context) =>
        save(
          user,
          {
            roles: platform_user === 1 ? [platformRole] : [],
            role_profile_name: platform_admin === 1 ? adminProfile : null,
          },
          context,
        ),
    }),
  ]
}

async function list(params: Record<string, unknown>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const filters = equals({ enabled: params.enabled === undefined ? undefined : Number(params.enabled) })
    const or_filters = containsText(['name', 'full_name'], params.txt)
    const rows = await tx.listFields(UserDoctype, fields, filters, { or_filters, ...newestPage(params) })
    const total = await tx.count(UserDoctype, filters, { or_filters })
    return { users: await toPlatformUsers(tx, rows), total }
  })
}

/** The fields that a `PlatformUser` is made of. */
const fields = ['name', 'full_name', 'enabled', 'email_verified', 'roles', 'role_profile_name', 'creation'] as const

async function toPlatformUsers(tx: Tx, rows: readonly Pick<User, (typeof fields)[number]>[]): Promise<PlatformUser[]> {
  const names = rows.map(({ name }) => name)
  const signIns = await lastSignIns(tx, names)
  const organizations = await tx.countBy(OrganizationMemberDoctype, 'user', [['user', 'in', names]])
  return rows.map((row) => ({
    email: row.name,
    full_name: row.full_name,
    enabled: row.enabled,
    verified: row.email_verified,
    ...rightsOf(row),
    last_sign_in: signIns.get(row.name) ?? null,
    organizations: organizations.get(row.name) ?? 0,
    creation: row.creation,
  }))
}

/** Time of each user's last sign-in. Users who never signed in are left out. */
async function lastSignIns(tx: Tx, users: readonly string[]): Promise<Map<string, string>> {
  // One look into the index per user: an aggregate over all entries would read every sign-in there was.
  const { rows } = await sql<{ user: string; at: string | null }>`
    select people."user", (select max(a.creation) from ${tableRef('Activity')} a where a.organization is null
      and a.actor = people."user" and a.action = 'account.login' and a.result = 'Done') as at
    from unnest(${[...users]}::text[]) as people("user")`.execute(tx.trx)
  return new Map(rows.flatMap(({ user, at }) => (at === null ? [] : [[user, at]])))
}

function rightsOf({ roles, role_profile_name }: Partial<Pick<User, 'roles' | 'role_profile_name'>>) {
  return {
    platform_user: (roles ?? []).includes(platformRole) ? (1 as const) : (0 as const),
    platform_admin: role_profile_name === adminProfile ? (1 as const) : (0 as const),
  }
}

async function save(user: string, values: Partial<User>, { documents, session }: MethodContext) {
  const now = await documents.save(session, UserDoctype, user.trim().toLowerCase(), values)
  return { user: now.name, enabled: now.enabled ?? 0, ...rightsOf(now) }
}
