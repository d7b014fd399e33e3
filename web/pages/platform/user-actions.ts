import type { PlatformUser } from '#shared/responses/platform.ts'

/** Actions on an account. */
export type UserActionName = 'disable' | 'enable' | 'make_admin' | 'end_admin' | 'make_user' | 'end_user'

/** An action: its method, and whether it needs confirmation. */
export interface UserAction {
  readonly name: UserActionName
  readonly method: 'set_user_enabled' | 'set_user_roles'
  readonly params: Readonly<Record<string, number>>
  readonly danger: boolean
  readonly asks: boolean
}

/** Available actions for an account's current state. */
export function userActions(
  user: Pick<PlatformUser, 'enabled' | 'platform_user' | 'platform_admin'>,
): readonly UserAction[] {
  const { platform_user, platform_admin } = user
  const roles = (name: UserActionName, change: Partial<typeof user>, asks: boolean, danger = false): UserAction => ({
    name,
    method: 'set_user_roles',
    params: { platform_user, platform_admin, ...change },
    danger,
    asks,
  })
  return [
    platform_admin === 1
      ? roles('end_admin', { platform_admin: 0 }, true)
      : // A platform admin without the platform role couldn't do anything.
        roles('make_admin', { platform_admin: 1, platform_user: 1 }, true),
    platform_user === 1
      ? roles('end_user', { platform_user: 0 }, true, true)
      : roles('make_user', { platform_user: 1 }, false),
    user.enabled === 1
      ? { name: 'disable', method: 'set_user_enabled', params: { enabled: 0 }, danger: true, asks: true }
      : { name: 'enable', method: 'set_user_enabled', params: { enabled: 1 }, danger: false, asks: false },
  ]
}
