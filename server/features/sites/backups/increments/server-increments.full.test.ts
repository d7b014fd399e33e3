import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { serverIncrements, type ServerIncrements } from '#tests/support/server-increments.ts'
import type { SiteSpec } from '#server/engines/engine.ts'
import { readTar } from '#server/platform/files/tar.ts'

let t: EeServer
let site: SiteSpec
let backups: ServerIncrements

beforeAll(async () => {
  t = await startEeServer()
  site = eeSpec(t.server, { id: 'increment1', domain: 'increments.example.com', title: 'Kept' })
  await runSteps(t.engine.createSteps(site))
  backups = await serverIncrements(t, site)
  await put('wp-content/uploads/large.bin', randomBytes(3_000_000))
  await put('wp-content/uploads/2026/é "1".bin', randomBytes(300_000))
})
afterAll(() => t?.end())

const inSite = (path: string) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', path)
async function put(path: string, content: Buffer | string): Promise<void> {
  await mkdir(join(inSite(path), '..'), { recursive: true })
  await writeFile(inSite(path), content)
}

async function filesOf(tar: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  await readTar(Readable.from([tar]), ({ name, type }) => {
    const chunks: Buffer[] = []
    const end = () => void (type === 'file' && files.set(name, Buffer.concat(chunks)))
    return { write: (chunk) => void chunks.push(chunk), end }
  })
  return files
}

test('after a full archive a server sends what is new, and what is put together of it is the archive to the bit', async () => {
  const full = await backups.backedUp()
  expect(full.sealed.needs).toBeNull()
  expect(full.log).not.toContain('Everything is stored')
  const first = await filesOf(await backups.wholeOf(full))
  await put('wp-content/uploads/new.bin', randomBytes(40_000))
  await put('wp-content/uploads/2026/moved.bin', first.get('files/wp-content/uploads/2026/é "1".bin') ?? '')
  await rm(inSite('wp-content/uploads/2026/é "1".bin'))
  const next = await backups.backedUp()
  expect(next.sealed.needs).toEqual([full.name])
  expect(next.sealed.size).toBeGreaterThan(3_000_000)
  expect(next.sealed.clear.bytes).toBeLessThan(100_000)
  const whole = await backups.wholeOf(next)
  const second = await filesOf(whole)
  expect([...second.keys()].filter((name) => !first.has(name)).toSorted()).toEqual([
    'files/wp-content/uploads/2026/moved.bin',
    'files/wp-content/uploads/new.bin',
  ])
  expect(second.get('files/wp-content/uploads/large.bin')).toEqual(first.get('files/wp-content/uploads/large.bin'))
  // Headers are other ones, their contents are not.
  await utimes(inSite('wp-content/uploads/large.bin'), 1_700_000_000, 1_700_000_000)
  await chmod(inSite('wp-content/uploads/new.bin'), 0o600)
  const last = await backups.backedUp()
  // What the full one alone has is not taken from the one after it.
  expect(last.sealed.needs).toEqual([full.name, next.name])
  expect(last.sealed.clear.bytes).toBeLessThan(60_000)

  const path = join(t.root, 'whole.tar.zst')
  await writeFile(path, zstdCompressSync(await backups.wholeOf(last)))
  await put('wp-content/uploads/large.bin', 'lost')
  await runSteps(t.engine.restores.restoreSteps(site, { rehearsal: site, archive: path }, 'all'))
  await t.engine.restores.finishRestore(site)
  expect(await readFile(inSite('wp-content/uploads/large.bin'))).toEqual(
    first.get('files/wp-content/uploads/large.bin'),
  )
  expect(await t.violations()).toEqual([])
  await t.engine.backups.removePacked(site)
})

test('of a dump the tables and rows that changed are sent', async () => {
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [state = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json') && one.includes(site.id))
  const tables = ['wp_options', 'wp_posts', 'wp_users'].map((table) => ({
    table,
    rows: Array.from({ length: 4 }, () => randomBytes(100_000).toString('hex')),
  }))
  const write = () =>
    writeFile(
      join(folder, state.replace('.json', '.sql')),
      `${tables.map(({ table, rows }) => [`-- Table structure for table \`${table}\``, `CREATE TABLE \`${table}\` (\n  \`x\` longtext\n);`, ...rows.map((row) => `INSERT INTO \`${table}\` VALUES ('${row}');`)].join('\n')).join('\n')}\n-- Dump completed\n`,
    )
  await write()
  await backups.backedUp()
  const changed = randomBytes(5_000).toString('hex')
  tables[1]?.rows.splice(2, 1, changed)
  await write()
  const next = await backups.backedUp()
  expect(next.sealed.needs?.length).toBeGreaterThan(0)
  expect(next.sealed.clear.bytes).toBeLessThan(60_000)
  const dump = String((await filesOf(await backups.wholeOf(next))).get('database.sql'))
  for (const { rows } of tables) for (const row of rows) expect(dump.includes(row)).toBe(true)
})

test('a server whose tar is longer than expected sends everything, and the log says why; one that makes it otherwise the second time, nothing', async () => {
  if (backups.known() === null) await backups.backedUp()
  const program = join(t.root, 'bin/tar')
  // It pads its tar with more than others.
  await writeFile(
    program,
    '#!/bin/sh\n/usr/bin/tar "$@" || exit\ncase "$*" in *README.txt*) head -c 10240 /dev/zero ;; esac\n',
    {
      mode: 0o755,
    },
  )
  const before = backups.known()
  const other = await backups.backedUp()
  await rm(program)
  expect(other.sealed.needs).toBeNull()
  expect(other.log).toContain('not as long as its files say')
  // Nothing is known of it.
  expect(backups.known()).toBe(before)
  await writeFile(
    program,
    '#!/bin/sh\ncase "$*" in *--remove-files*) /usr/bin/tar "$@" | tr R r ;; *) exec /usr/bin/tar "$@" ;; esac\n',
    { mode: 0o755 },
  )
  await expect(backups.backedUp()).rejects.toMatchObject({
    message: expect.stringContaining('could not be made') as string,
  })
  await rm(program)
  expect(await readdir(join(t.root, 'var/lib/easydash/packed'))).toEqual([])
})
