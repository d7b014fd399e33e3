import { expect, test } from 'vitest'
import { shortcutGroups } from '#shared/shortcuts.ts'

test('keys are written alike: letters in upper case, each shortcut once', () => {
  const keys = shortcutGroups.flatMap(({ shortcuts }) => shortcuts.map((shortcut) => shortcut.keys.join(' ')))
  expect(keys.filter((key) => /\b[a-z]\b/.test(key))).toEqual([])
  expect(new Set(keys).size).toBe(keys.length)
})
