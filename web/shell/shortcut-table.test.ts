import { expect, test } from 'vitest'
import { shortcutGroups } from '#shared/shortcuts.ts'
import { pathsByPair } from './shortcut-table.ts'

test('sequences lead to their pages', () => {
  expect(pathsByPair).toMatchObject({ 'g d': '/', 'g s': '/site', 'g v': '/server', 'c s': '/site/create' })
})

test('keys are written alike: letters in upper case, each shortcut once', () => {
  const keys = shortcutGroups.flatMap(({ shortcuts }) => shortcuts.map((shortcut) => shortcut.keys.join(' ')))
  expect(keys.filter((key) => /\b[a-z]\b/.test(key))).toEqual([])
  expect(new Set(keys).size).toBe(keys.length)
})
