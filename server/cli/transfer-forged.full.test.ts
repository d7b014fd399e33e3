import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldBy, makeInstallation, type Installation } from '#tests/support/installation.ts'
import { tarEnd, tarHeader, tarPadding, ustar } from '#tests/support/raw-tar.ts'
import { importCommand } from './transfer.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { loadKeyring } from '#server/platform/secrets/keyring-source.ts'
import { migrate, schemaVersion } from '#server/tables.ts'
import { writeArchive } from '#server/transfer/archive-file.ts'

/** Archives forged with the right keys: each is rejected and leaves the installation unchanged. */
let into: Installation
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forged-'))
  into = await makeInstallation()
  await openDataDir(into.dataDir)
  await migrate(into.database)
  await loadKeyring({ dataDir: into.dataDir, secretKeys: null })
})
afterAll(async () => {
  await into?.end()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const imported = (path: string) => importCommand([path], into.config, into.database, () => undefined)

const file = (name: string, content: string | Buffer = 'x', size?: number) => {
  const bytes = Buffer.from(content)
  const length = size ?? bytes.length
  return [tarHeader({ name, type: 'file', size: length, mode: 0o777, mtime: 1 }), bytes, tarPadding(length)]
}
const link = () => [ustar({ name: 'sites/abcdefghij/www/x', flag: '2', size: 0, mode: 0o777, mtime: 1 })]
const record = (changes: object = {}) =>
  JSON.stringify({
    id: 'abcdefghij',
    domain: 'forged',
    siteType: 'html',
    phpVersion: '8.4',
    state: 'ready',
    ...changes,
  })
const site = (...more: Buffer[][]) => [file('sites/abcdefghij/site.json', record()), ...more].flat()

async function forge(
  name: string,
  middle: Buffer[],
  changes: { tables?: object[]; rows?: object; members?: number; without?: object[] } = {},
) {
  const manifest = {
    format: 1,
    version: '9',
    made: 'now',
    schema: { version: schemaVersion },
    machine: 'this',
    tables: changes.tables ?? [{ name: 'tab_plan', columns: ['name'] }],
    without: changes.without ?? [],
    settings: {},
  }
  const members = middle.filter((one) => one.length >= 512 && one.toString('latin1', 257, 262) === 'ustar').length + 1
  const path = join(folder, `${name}.forged`)
  const end = { members: changes.members ?? members, rows: changes.rows ?? { tab_plan: 0 } }
  const ring = await loadKeyring({ dataDir: into.dataDir, secretKeys: null }, false)
  async function* tar() {
    yield* file('manifest.json', JSON.stringify(manifest))
    yield* middle
    yield* file('end.json', JSON.stringify(end))
    yield tarEnd
  }
  await writeArchive(path, ring, tar(), AbortSignal.timeout(300_000))
  return path
}

test.each<[string, () => Buffer[], RegExp]>([
  ['a path out of the folder', () => file('sites/abcdefghij/www/../../../../keys'), /strange name/],
  ['an absolute path', () => file('/etc/cron.d/x'), /strange name/],
  ['a link', () => site(link()), /neither a file nor a folder/],
  ['a second manifest', () => file('manifest.json', '{}'), /another order/],
  ['a piece of a site before the site', () => file('sites/abcdefghij/www/x'), /before the site/],
  ['a record that is none', () => file('sites/abcdefghij/site.json', record({ domain: '../x' })), /record is none/],
  [
    'a record of another site',
    () => file('sites/abcdefghij/site.json', record({ id: 'zzzzzzzzzz' })),
    /record is none/,
  ],
  ['the same site twice', () => [...site(), ...site()], /damaged/],
  ['rows of a table that is none of an export', () => file('database/easydash_session/1.copy'), /where none belong/],
])('%s', async (_what, middle, reason) => {
  await expect(imported(await forge('one', middle()))).rejects.toThrow(reason)
  expect(await heldBy(into)).toEqual([])
})

const heads = { name: 'easydash_activity_head', columns: ['chain', 'hash', 'previous', 'at', 'entries'] }
const headRow = 'a\tb\t\t2026-01-02\t1\n'

test('counts that are not true, and tables that are not here', async () => {
  const shape = { name: 'tab_plan', columns: ['name'] }
  await expect(imported(await forge('members', [], { members: 7 }))).rejects.toThrow('damaged')
  for (const [table, line, count] of [
    [heads, headRow, 2],
    [heads, 'a\n', 1],
    [shape, 'A\n', 1],
  ] as const) {
    const more = { tables: [table], rows: { [table.name]: count } }
    const forged = await forge('rows', file(`database/${table.name}/1.copy`, line), more)
    await expect(imported(forged)).rejects.toThrow('damaged')
  }
  for (const table of [
    { name: 'pg_authid', columns: ['rolname'] },
    { name: 'easydash_session', columns: ['id'] },
    { ...shape, columns: ['nothing'] },
  ])
    await expect(imported(await forge('table', [], { tables: [table] }))).rejects.toThrow('does not have')
  expect(await heldBy(into)).toEqual([])
})

test('failures after rows were imported', async () => {
  const middle = [...file(`database/${heads.name}/1.copy`, headRow), ...site(), ...site()]
  const forged = await forge('late', middle, { tables: [heads], rows: { [heads.name]: 1 } })
  await expect(imported(forged)).rejects.toThrow('damaged')
  expect(await heldBy(into)).toEqual([])
})

test.each<[string, object, Buffer[], RegExp]>([
  ['whose files it holds', { name: 'abcdefghij', domain: 'forged' }, site(), /leaves out/],
  ['that has no entry', { name: 'abcdefghij', domain: 'forged' }, [], /no entries/],
  ['whose name would steer a terminal', { name: 'abcdefghij', domain: 'a\u001b[2J' }, [], /damaged/],
])('a site left out %s', async (_what, one, middle, reason) => {
  await expect(imported(await forge('left', middle, { without: [one] }))).rejects.toThrow(reason)
  expect(await heldBy(into)).toEqual([])
})

test('more than the disk has room for, before anything is written', async () => {
  const zeros = Buffer.alloc(64 * 1024)
  const bomb = [
    ...site(),
    tarHeader({ name: 'sites/abcdefghij/www/x', type: 'file', size: 2 ** 50, mode: 0o600, mtime: 1 }),
  ]
  await expect(imported(await forge('bomb', [...bomb, zeros]))).rejects.toThrow('more than this disk has room for')
  expect(await heldBy(into)).toEqual([])
})
