import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dumpedDatabase, keptContent, readKept, type KnownContent } from './known-content.ts'

const dumpOf = (rows: readonly string[]) =>
  [
    Buffer.from(
      gzipSync(
        ['CREATE TABLE `wp_posts` (', ');', ...rows.map((row) => `INSERT INTO ${row};`), '-- Dump completed', ''].join(
          '\n',
        ),
      ),
    ),
  ] as unknown as AsyncIterable<Buffer>

const before = [
  "`wp_posts` VALUES (1,'a post'),(2,'another')",
  "`wp_postmeta` VALUES (7,1,'color','red'),(8,1,'_edit_lock','1')",
  '`wp_term_relationships` VALUES (1,3,0)',
  "`wp_options` VALUES (1,'blogname','A','yes'),(2,'cron','x','yes'),(3,'_transient_a','x','yes')",
  "`wp_usermeta` VALUES (1,5,'session_tokens','x')",
  "`wp_wc_orders` VALUES (11,'paid')",
  "`wp_mine` VALUES ('it''s, (1)','b')",
  '`wp_actionscheduler_logs` VALUES (1)',
]
const keysOf = async (rows: readonly string[]) => {
  const found = await dumpedDatabase(dumpOf(rows), 'wp_')
  return Object.entries(found).flatMap(([kind, items]) =>
    [...items].map(([key, { hash }]) => [`${kind} ${key}`, hash] as const),
  )
}

test('rows are about posts, options, users; what changes by itself is none of that', async () => {
  const known = new Map(await keysOf(before))
  expect([...known.keys()].toSorted()).toEqual([
    'options blogname',
    'orders wc_orders 11',
    "other mine it''s, (1)",
    'posts 1',
    'posts 2',
  ])
  const changed = async (from: string, to: string) => {
    const now = await keysOf(before.map((row) => row.replace(from, to)))
    return now.filter(([key, hash]) => known.get(key) !== hash).map(([key]) => key)
  }
  expect(await changed("'red'", "'blue'")).toEqual(['posts 1'])
  expect(await changed('(1,3,0)', '(1,4,0)')).toEqual(['posts 1'])
  expect(await changed("'cron','x'", "'cron','y'")).toEqual([])
  expect(await changed("'_edit_lock','1'", "'_edit_lock','2'")).toEqual([])
  expect(await changed("(2,'another')", "(2,'other'),(3,'new')")).toEqual(['posts 2', 'posts 3'])
})

test('what is kept is read as it was, and nothing else is', async () => {
  const content: KnownContent = {
    files: new Map([['a\nb', { hash: 'x' }]]),
    database: await dumpedDatabase(dumpOf(before), 'wp_'),
  }
  expect(await readKept(keptContent(content))).toEqual(content)
  expect(await readKept(keptContent({ ...content, database: null }))).toEqual({ ...content, database: null })
  const none = ['', '{"a":1}\n', '["easydash-content",1,true]\n["files",1]\n'].map((text) => [gzipSync(text)])
  for (const bytes of [...none, [Buffer.from('no gzip')]])
    await expect(readKept(bytes as unknown as AsyncIterable<Buffer>)).rejects.toMatchObject({ code: 'unavailable' })
})
