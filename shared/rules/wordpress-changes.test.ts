import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isEventId, isPackageSlug, isPluginId, isThemeId, isWordPressLogin } from './wordpress-changes.ts'

const pathText = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '/', '-', '_', '\\', '\0', ' ', 'é', '%') })

test('plugins and themes never name a path outside of their folder', () => {
  fc.assert(
    fc.property(pathText, (text) => {
      for (const accepts of [isPluginId, isThemeId]) {
        if (!accepts(text)) continue
        expect(text.split('/').every((part) => part !== '' && part !== '.' && part !== '..')).toBe(true)
        expect(text).toMatch(/^[\w./-]+$/)
      }
    }),
    { numRuns: 2_000 },
  )
})

test.each(['akismet/akismet.php', 'hello.php', 'a.b-c_d/e.f.php'])('%s is a plugin', (text) => {
  expect(isPluginId(text)).toBe(true)
})

test.each(['', '/a.php', '../a.php', 'a/../b.php', 'a//b.php', 'a/b.txt', `${'a'.repeat(200)}.php`, 'a b.php'])(
  '%j is no plugin',
  (text) => {
    expect(isPluginId(text)).toBe(false)
  },
)

test('names of packages are one lowercase label', () => {
  expect(['akismet', 'a1-b'].every(isPackageSlug)).toBe(true)
  expect(['', '-a', 'A', 'a/b', 'a.b', '../a', 'a b', 'a'.repeat(101)].some(isPackageSlug)).toBe(false)
})

test('login names and events', () => {
  expect(['nora', 'nora.berg@example', 'two words'].every(isWordPressLogin)).toBe(true)
  expect(['', ' nora', 'nora ', 'nora/x', 'no\nra', 'ü', 'a'.repeat(61)].some(isWordPressLogin)).toBe(false)
  expect(isEventId(`1700000000|${'a'.repeat(32)}|wp_cron|odd hook`)).toBe(true)
  expect(
    [`x|${'a'.repeat(32)}|h`, `1|${'g'.repeat(32)}|h`, `1|${'a'.repeat(32)}|`, `1|${'a'.repeat(32)}|a\nb`].some(
      isEventId,
    ),
  ).toBe(false)
})
