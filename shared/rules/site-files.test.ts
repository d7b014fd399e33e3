import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  folderOf,
  holdsOwnFile,
  isNewName,
  isOwnFile,
  nameOf,
  pathIn,
  siteFileLimits,
  splitPath,
} from './site-files.ts'

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom('.', '..', '', ' ', 'a', '\0', '\n', '\u202E', 'ä', '😀', '\\', '...'),
)
const path = fc.array(name, { maxLength: 6 }).map((names) => names.join('/'))

describe('a path', () => {
  it('is what its names joined are, and never leads out', () => {
    fc.assert(
      fc.property(path, (text) => {
        const names = splitPath(text)
        if (typeof names === 'string') return
        expect(names.join('/')).toBe(text)
        for (const one of names) {
          expect(['', '.', '..']).not.toContain(one)
          expect(one).not.toMatch(/[/\0]/)
        }
      }),
    )
  })

  it('has a folder and a name', () => {
    fc.assert(
      fc.property(path, (text) => {
        const names = splitPath(text)
        if (typeof names === 'string' || names.length === 0) return
        expect(pathIn(folderOf(text), nameOf(text))).toBe(text)
      }),
    )
  })

  it.each([
    ['/etc/passwd', 'absolute'],
    ['a/../b', 'dots'],
    ['..', 'dots'],
    ['./a', 'dots'],
    ['a//b', 'empty'],
    ['a/', 'empty'],
    ['a\0', 'nul'],
    ['ä'.repeat(128), 'name_too_long'],
    [Array.from({ length: siteFileLimits.depth + 1 }, () => 'a').join('/'), 'too_deep'],
    ['a/'.repeat(3_000), 'path_too_long'],
  ])('%j is refused: %s', (text, why) => expect(splitPath(text)).toBe(why))
})

it('a new name is one that everybody reads the same', () => {
  for (const good of ['a', '.htaccess', 'Über uns.html', '😀', 'a b', '-rf']) expect(isNewName(good)).toBe(true)
  for (const bad of ['', ' ', '.', '..', 'a/b', 'a\nb', '\u202Egnp', 'a\\b', '\u2028', 'n'.repeat(256)])
    expect(isNewName(bad)).toBe(false)
})

it('the files of the database are known in every spelling, and what holds them', () => {
  for (const own of ['wp-content/db.php', 'wp-content/database', 'WP-Content/Database/.ht.sqlite'])
    expect([isOwnFile(own), holdsOwnFile(own)]).toEqual([true, true])
  for (const holds of ['wp-content', 'wp-content/mu-plugins', ''])
    expect([isOwnFile(holds), holdsOwnFile(holds)]).toEqual([false, true])
  for (const free of ['wp-content/databases', 'wp-config.php', 'wp-content/plugins', 'database'])
    expect([isOwnFile(free), holdsOwnFile(free)]).toEqual([false, false])
})
