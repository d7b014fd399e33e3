import { sql } from 'kysely'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { PlatformUser } from '#shared/responses/platform.ts'
import { adminProfile, platformRole, type User } from '#shared/doctypes/user.ts'
import { check, data, select } from '#shared/fields.ts'
import { equals, holdsText, pageParams, pageSql, whereAll } from './paging.ts'
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
    const enabled = params.enabled === undefined ? undefined : Number(params.enabled)
    const where = whereAll([holdsText(['u.name', 'u.full_name'], params.txt), equals('u.enabled', enabled)])
    const { rows } = await sql<PlatformUser>`
      select u.name as email, u.full_name, u.enabled, u.email_verified as verified,
        (coalesce(u.roles, '[]'::jsonb) ? ${platformRole})::int as platform_user,
        (u.role_profile_name is not distinct from ${adminProfile})::int as platform_admin,
        (select max(a.creation) from tab_activity a where a.organization is null and a.actor = u.name
          and a.action = 'account.login' and a.result = 'Done') as last_sign_in,
        (select count(*) from tab_organization_member m where m."user" = u.name) as organizations,
        u.creation
      from tab_user u where ${where} order by u.creation desc, u.name ${pageSql(params)}`.execute(tx.trx)
    const total = await sql<{ n: number }>`select count(*) as n from tab_user u where ${where}`.execute(tx.trx)
    return { users: rows, total: Number(total.rows[0]?.n ?? 0) }
  })
}

async function save(user: string, values: Partial<User>, { documents, session }: MethodContext) {
  const now = (await documents.save(session, 'User', user.trim().toLowerCase(), values)) as unknown as User
  return {
    user: now.name,
    enabled: now.enabled,
    platform_user: (now.roles ?? []).includes(platformRole) ? (1 as const) : (0 as const),
    platform_admin: now.role_profile_name === adminProfile ? (1 as const) : (0 as const),
  }
}
