import { expect, test } from 'vitest'
import type { Folder } from '../trees/folder.ts'
import { contentsOf } from './placed-folders.ts'

interface Tree {
  readonly [name: string]: Tree | null
}

/** A folder in memory, as far as `contentsOf` reads it. */
function folderOf(tree: Tree): Folder {
  return {
    list() {
      const entries = Object.entries(tree).values()
      return {
        next() {
          const { value } = entries.next()
          return value ? { name: Buffer.from(value[0]), kind: value[1] === null ? 'file' : 'folder' } : null
        },
        close: () => undefined,
      }
    },
    open: (name: Buffer) => folderOf(tree[name.toString()] ?? {}),
    close: () => undefined,
  } as unknown as Folder
}

test('everything in a folder is listed, folders before what they contain', () => {
  const tree = { a: { b: { c: null }, d: null }, e: null }
  expect(contentsOf(folderOf(tree), 'in')).toEqual(['in/a/', 'in/a/b/', 'in/a/b/c', 'in/a/d', 'in/e'])
})

test('as many entries as an archive may have are listed', () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, null]))
  expect(contentsOf(folderOf({ a: { b: many } }), '')).toHaveLength(200_002)
})
