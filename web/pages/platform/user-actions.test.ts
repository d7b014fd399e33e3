import { expect, test } from 'vitest'
import { userActions } from './user-actions.ts'

const names = (enabled: 0 | 1, platform_user: 0 | 1, platform_admin: 0 | 1) =>
  userActions({ enabled, platform_user, platform_admin }).map((act) => act.name)

test('each action is offered only if it changes something', () => {
  expect(names(1, 1, 0)).toEqual(['make_admin', 'end_user', 'disable'])
  expect(names(0, 0, 0)).toEqual(['make_admin', 'make_user', 'enable'])
  expect(names(1, 1, 1)).toEqual(['end_admin', 'end_user', 'disable'])
})

test('unrelated roles are kept; a new admin gets the required role', () => {
  const params = (user: Parameters<typeof userActions>[0], name: string) =>
    userActions(user).find((act) => act.name === name)?.params
  expect(params({ enabled: 1, platform_user: 0, platform_admin: 0 }, 'make_admin')).toEqual({
    platform_user: 1,
    platform_admin: 1,
  })
  expect(params({ enabled: 1, platform_user: 1, platform_admin: 1 }, 'end_admin')).toEqual({
    platform_user: 1,
    platform_admin: 0,
  })
  expect(params({ enabled: 1, platform_user: 1, platform_admin: 1 }, 'end_user')).toEqual({
    platform_user: 0,
    platform_admin: 1,
  })
})

test('actions that remove access ask for confirmation', () => {
  const acts = [
    ...userActions({ enabled: 1, platform_user: 1, platform_admin: 1 }),
    ...userActions({ enabled: 0, platform_user: 0, platform_admin: 0 }),
  ]
  expect(acts.filter((act) => act.asks).map((act) => act.name)).toEqual([
    'end_admin',
    'end_user',
    'disable',
    'make_admin',
  ])
})
