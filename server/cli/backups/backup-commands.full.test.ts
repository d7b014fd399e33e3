import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { generateX25519Identity } from 'age-encryption'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SiteManifest } from '#server/engines/site-manifest.ts'
import { encrypted } from '#server/features/sites/backups/archive-cipher.ts'
import { extractBackup, listBackups, verifyBackups } from './backup-commands.ts'

let folder: string
let identity: string
let key: string
let number = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-commands-'))
  identity = await generateX25519Identity()
  key = join(folder, 'key.txt')
  await writeFile(key, `# Recovery key\n${identity}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const entry = (path: string, content: string) => ({ path, size: Buffer.byteLength(content), sha256: sha256(content) })

const content: Readonly<Record<string, string>> = {
  'files/index.php': '<?php\n',
  'files/wp-content/uploads/a.txt': 'a'.repeat(70_000),
  'database.sql': 'SELECT 1;\n',
}

const manifest = (changes: Partial<Record<keyof SiteManifest, unknown>> = {}): string =>
  JSON.stringify({
    format: 'easydash-site',
    version: 1,
    created: '2026-01-02T03:04:05Z',
    ...{ site: 'shop', engine: 'local', type: 'wp', url: 'http://shop.localhost', title: 'Shop' },
    ...{ php_version: '8.4', wordpress_version: '6.9', table_prefix: 'wp_' },
    database: { file: 'database.sql', bytes: 10, sha256: sha256('SELECT 1;\n') },
    tables: { wp_posts: 3 },
    files: Object.entries(content).flatMap(([path, text]) =>
      path.startsWith('files/') ? [entry(path.slice('files/'.length), text)] : [],
    ),
    counts: { posts: 1, pages: 1, comments: 0, uploads: 1, plugins: 0, themes: 1, users: 1 },
    ...{ pages: [], left_out: [], ...changes },
  })

type Header = Parameters<ReturnType<typeof pack>['entry']>[0]

/** Stores a backup in a folder of its own, and returns its path. */
async function stored(
  members: readonly (readonly [string | Header, string])[],
  change: (archive: Buffer) => Buffer = (archive) => archive,
  of = identity,
): Promise<string> {
  const packer = pack()
  for (const [name, text] of members) packer.entry(typeof name === 'string' ? { name } : name, text)
  packer.finalize()
  const archive = zstdCompressSync(await buffer(packer))
  const bytes = await buffer(await encrypted(of, Readable.from([archive], { objectMode: false })))
  number += 1
  const path = await mkdtemp(join(folder, `${number}-`))
  const file = join(path, 'abcdefghij.tar.zst.age')
  await writeFile(file, change(bytes))
  return file
}

const good = (text = manifest()) => [...Object.entries(content), ['manifest.json', text] as const]

async function run(command: typeof verifyBackups, ...args: string[]) {
  const lines: string[] = []
  const fine = await command([...args, '--key', key], (line) => void lines.push(line))
  return { fine, text: lines.join('\n') }
}

test('lists, verifies and extracts with the key alone', async () => {
  const file = await stored(good())
  const list = await run(listBackups, join(file, '..'))
  expect(list).toMatchObject({ fine: true, text: expect.stringContaining('shop, 2026-01-02') as string })
  expect(await run(verifyBackups, file)).toMatchObject({ fine: true })
  const target = join(file, '..', 'new')
  await extractBackup([file, target, '--key', key], () => undefined)
  for (const [path, text] of Object.entries(content)) expect(await readFile(join(target, path), 'utf8')).toBe(text)
  await expect(extractBackup([file, target, '--key', key], () => undefined)).rejects.toThrow('exists already')
})

const mb = 1_048_576

/** Stores an archive of what is new whose recipe takes the same bytes again and again. */
async function increment(changes: Record<string, unknown> = {}): Promise<string> {
  const packer = pack()
  packer.entry({ name: 'files/b', size: 80 * mb })
  const { value: begin } = (await packer[Symbol.asyncIterator]().next()) as { value: Buffer }
  const about = {
    ...{
      format: 'easydash-increment',
      version: 1,
      backup: 'abcdefghij',
      site: 'shop',
      created: '2026-01-02T03:04:05Z',
    },
    ...{ bytes: 512 + 80 * mb, sha256: sha256(''), needs: [], ...changes },
  }
  // Each member begins with a header of 512 bytes, and takes whole blocks of them.
  const recipe = [[1_536, 512], ...Array.from({ length: 80 }, () => [2_048, mb])]
  return stored([
    ['increment.json', JSON.stringify(about).padEnd(512)],
    ['added.bin', `${begin.toString('latin1')}${'\0'.repeat(mb)}`],
    ['recipe.txt', recipe.map((run) => `abcdefghij ${run.join(' ')}\n`).join('')],
  ])
}

const flipped = (at: number) => (archive: Buffer) => {
  archive[at < 0 ? archive.length + at : at] = (archive.at(at) ?? 0) ^ 1
  return archive
}

const cases: readonly (readonly [what: string, make: () => Promise<string>, says: RegExp])[] = [
  ['one changed bit', () => stored(good(), flipped(-40)), /damaged/],
  ['a cut off file', () => stored(good(), (archive) => archive.subarray(0, -100)), /damaged/],
  ['an empty file', () => stored(good(), () => Buffer.alloc(0)), /not a backup of Easydash/],
  ['a foreign file', () => stored(good(), () => Buffer.from('hello '.repeat(50))), /not a backup of Easydash/],
  ['another key', async () => stored(good(), undefined, await generateX25519Identity()), /key does not open it/],
  ['no manifest', () => stored(Object.entries(content)), /no manifest\.json/],
  ['a foreign manifest', () => stored(good(manifest({ format: 'other' }))), /not a backup of Easydash/],
  ['a newer format', () => stored(good(manifest({ version: 2 }))), /later version of Easydash/],
  ['a broken manifest', () => stored(good(manifest({ files: 'none' }))), /manifest\.json cannot be read/],
  ['a missing file', () => stored(good().slice(1)), /files\/index\.php is missing/],
  [
    'a changed file',
    () => stored([['files/index.php', '<?PHP\n'], ...good().slice(1)]),
    /files\/index\.php was changed/,
  ],
  ['an unknown file', () => stored([['files/more.php', ''], ...good()]), /files\/more\.php is not in the manifest/],
  ['a path out of the folder', () => stored([['files/../../a', 'a'], ...good()]), /path that is not allowed/],
  ['an absolute path', () => stored([['/etc/a', 'a'], ...good()]), /path that is not allowed/],
  [
    'a link',
    () => stored([[{ name: 'files/a', type: 'symlink', linkname: '/etc/passwd' }, ''], ...good()]),
    /link or a special file/,
  ],
  ['an entry twice', () => stored([['files/index.php', 'a'], ...good()]), /twice/],
  ['a file as a folder', () => stored([['files', 'a'], ...good()]), /files is not in the manifest|not unpacked/],
  ['a bomb', () => stored([['files/b', '\0'.repeat(80 * mb)], ...good()]), /expands too far/],
  ['a bomb that is put together', () => increment(), /expands too far/],
  [
    'one that needs an archive twice',
    () => increment({ needs: Array(2).fill('bbbbbbbbbb') }),
    /increment\.json cannot/,
  ],
  [
    'one that needs more than backups do',
    () => increment({ needs: Array.from({ length: 30 }, (_, n) => `bbbbbbbb${n + 10}`) }),
    /increment\.json cannot/,
  ],
]

test.each(cases)('%s is named, and nothing is unpacked of it', async (_what, make, says) => {
  const file = await make()
  const target = join(file, '..', 'new')
  const verified = await run(verifyBackups, file)
  expect(verified).toMatchObject({ fine: false, text: expect.stringMatching(says) as string })
  await expect(extractBackup([file, target, '--key', key], () => undefined)).rejects.toThrow(says)
  expect(existsSync(target)).toBe(false)
  expect(await readdir(join(file, '..'))).toEqual(['abcdefghij.tar.zst.age'])
})

test('says what is wrong with a key, a folder or the arguments', async () => {
  const file = await stored(good())
  const wrong = join(folder, 'wrong.txt')
  await writeFile(wrong, 'AGE-SECRET-KEY-1WRONG\n')
  const print = () => undefined
  await expect(verifyBackups([file, '--key', wrong], print)).rejects.toThrow('not a recovery key')
  await expect(verifyBackups([file, '--key', join(folder, 'none')], print)).rejects.toThrow('cannot be read (ENOENT)')
  await expect(listBackups([join(folder, 'none')], print)).rejects.toThrow('cannot be read (ENOENT)')
  await expect(listBackups([], print)).rejects.toThrow('must be named')
  await expect(listBackups([await mkdtemp(join(folder, 'empty-'))], print)).rejects.toThrow('There are no backups')
  expect(await verifyBackups([file], print)).toBe(false)
})
