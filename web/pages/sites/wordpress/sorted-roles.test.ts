import { expect, test } from 'vitest'
import { sortedRoles } from './sorted-roles.ts'

test('roles have the same order whatever order they are stored in', () => {
  const roles = {
    author: 'Author',
    shop: 'Shop manager',
    administrator: 'Administrator',
    aa: 'Customer',
    editor: 'Editor',
  }
  expect(sortedRoles(roles).map(([key]) => key)).toEqual(['administrator', 'editor', 'author', 'aa', 'shop'])
})
