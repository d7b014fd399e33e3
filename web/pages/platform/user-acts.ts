import type { PlatformUser } from '#shared/responses/platform.ts'

/** What can be done to an account. */
export type UserActName = 'disable' | 'enable' | 'make_admin' | 'end_admin' | 'make_user' | 'end_user'

/** One act: the method behind it and whether it is asked for again. */
export interface UserAct {
  readonly name: UserActName
  readonly method: 'set_user_enabled' | 'set_user_roles'
  readonly params: Readonly<Record<string, number>>
  readonly danger: boolean
  readonly asks: boolean
}

/** The acts that make sense for an account as it is now. */
export function userActs(user: Pick<PlatformUser, 'enabled' | 'platform_user' | 'platform_admin'>): readonly UserAct[] {
  const { platform_user, platform_admin } = user
  const roles = (name: UserActName, change: Partial<typeof user>, asks: boolean, danger = false): UserAct => ({
    name,
    method: 'set_user_roles',
    params: { platform_user, platform_admin, ...change },
    danger,
    asks,
  })
  return [
    platform_admin === 1
      ? roles('end_admin', { platform_admin: 0 }, true)
      : // An admin of the platform without its role could do nothing.
        roles('make_admin', { platform_admin: 1, platform_user: 1 }, true),
    platform_user === 1
      ? roles('end_user', { platform_user: 0 }, true, true)
      : roles('make_user', { platform_user: 1 }, false),
    user.enabled === 1
      ? { name: 'disable', method: 'set_user_enabled', params: { enabled: 0 }, danger: true, asks: true }
      : { name: 'enable', method: 'set_user_enabled', params: { enabled: 1 }, danger: false, asks: false },
  ]
}
