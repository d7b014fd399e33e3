import { lstat, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startRestoreFixture, type RestoreFixture } from '#tests/support/ee-restores.ts'

let f: RestoreFixture

const uploads = 'wp-content/uploads/2024'
const odd = `data/a b 'quoted' $(id) é *.txt`

beforeAll(async () => {
  f = await startRestoreFixture({ id: 'parts00001', domain: 'parts.example.com' }, async ({ write }) => {
    await write(`${uploads}/a.txt`, 'kept')
    await write('own.txt', 'kept')
    await write(odd, 'kept')
    await write('gone/deep/inner/file.txt', 'kept')
    await write('wp-content/easydash-login/link.php', 'a link')
  })
}, 600_000)
afterEach(() => f.t.setTraps())
afterAll(() => f?.t.end())

const change = async () => {
  await f.write(`${uploads}/a.txt`, 'changed')
  await f.write(`${uploads}/new.txt`, 'new')
  await f.write('own.txt', 'changed')
  await f.write(odd, 'changed')
  await rm(f.inSite('gone'), { recursive: true, force: true })
}
const changed = ['changed', 'new', 'changed', 'changed', null]
const seen = async () => [
  await f.read(`${uploads}/a.txt`),
  await f.read(`${uploads}/new.txt`),
  await f.read('own.txt'),
  await f.read(odd),
  await f.read('gone/deep/inner/file.txt'),
]
const files = { paths: [uploads, odd, 'gone/deep/inner'], tables: [] }
const isThere = (path: string) =>
  lstat(f.inSite(path)).then(
    () => true,
    () => false,
  )

test('files and folders get their state of the backup, everything else stays, and all of it comes back', async () => {
  await change()
  await f.runAs('paths', f.restore(files))
  await f.t.engine.restores.finishRestore(f.site)
  expect(await seen()).toEqual(['kept', null, 'changed', 'kept', 'kept'])
  expect((await f.t.engine.request(f.site, '/')).status).toBe(200)
  expect(await f.t.engine.restores.keptBytes(f.site, AbortSignal.timeout(60_000))).toBeGreaterThan(0)
  for (const back of ['stopped', 'paths-back']) {
    await f.runAs(back, f.t.engine.restores.bringBackSteps(f.site))
    expect(await seen()).toEqual(changed)
    // The folders that were made for it went with it.
    expect(await isThere('gone')).toBe(false)
    if (back !== 'stopped') continue
    expect(await f.t.engine.restores.undoRestore(f.site, back)).toBe('undone')
    expect(await seen()).toEqual(['kept', null, 'changed', 'kept', 'kept'])
  }
  await f.t.engine.restores.finishRestore(f.site)
  expect((await readdir(f.inPlace())).toSorted()).toEqual(['state', 'wordpress'])
  // What is of this server is in no backup.
  await f.runAs('content', f.restore({ paths: ['wp-content'], tables: [] }))
  await f.t.engine.restores.finishRestore(f.site)
  expect(await f.read('wp-content/easydash-login/link.php')).toBe('a link')
  expect(await f.read(`${uploads}/a.txt`)).toBe('kept')
  expect(await f.t.violations()).toEqual([])
}, 600_000)

test('a restore of parts that was killed anywhere is taken back, or goes on', async () => {
  const part = (name: string) => f.inPlace(`prev/parts/${name}`)
  for (const goesOn of [false, true]) {
    const operation = `killed-${goesOn}`
    await change()
    await f.runAs(operation, f.restore(files).slice(0, 1))
    expect(await seen()).toEqual(changed)
    // In the middle of the swap: one path is in place, one only taken away, one not yet touched.
    await writeFile(f.inPlace('state'), `${operation} restore parts swapping\n`)
    await rename(f.inSite(uploads), part('0'))
    await rename(f.inPlace('next/parts/0'), f.inSite(uploads))
    await rename(f.inSite(odd), part('1'))
    if (goesOn) {
      await f.runAs(operation, f.restore(files))
      expect(await seen()).toEqual(['kept', null, 'changed', 'kept', 'kept'])
    }
    // Whether visitors can be kept out or not.
    await symlink('/nowhere/at-all', f.inSite('.maintenance'))
    expect(await f.t.engine.restores.undoRestore(f.site, operation)).toBe('undone')
    expect(await seen()).toEqual(changed)
    expect(await isThere('gone')).toBe(false)
  }
  expect(await readdir(f.inPlace())).not.toContain('state')
}, 600_000)

test('a link that a site put in place of a folder leads nobody out of it, before a restore, during and after it', async () => {
  const elsewhere = join(f.t.root, 'elsewhere')
  await mkdir(join(elsewhere, '2024'), { recursive: true })
  await writeFile(join(elsewhere, '2024/a.txt'), 'of another site')
  const links = [f.inSite('wp-content/uploads'), f.inSite('wp-content/mine')] as const
  const link = async () => {
    await rename(links[0], links[1])
    await symlink(elsewhere, links[0])
  }
  const unlink = async () => {
    await rm(links[0])
    await rename(links[1], links[0])
  }
  const untouched = async () => expect(await readdir(join(elsewhere, '2024'))).toEqual(['a.txt'])
  await change()
  await link()
  await expect(f.runAs('linked', f.restore(files))).rejects.toMatchObject({
    message: expect.stringContaining('wp-content/uploads is no folder') as string,
  })
  expect(await f.t.engine.restores.undoRestore(f.site, 'linked')).toBe('undone')
  await untouched()
  await unlink()
  // Once everything was checked.
  await f.runAs('late', f.restore(files).slice(0, 1))
  await link()
  await expect(f.runAs('late', f.restore(files).slice(1))).rejects.toMatchObject({ code: 'unavailable' })
  await untouched()
  await unlink()
  expect(await f.t.engine.restores.undoRestore(f.site, 'late')).toBe('undone')
  expect(await seen()).toEqual(changed)
  // On the way back: it says so, and goes on when the folder is one again.
  await f.runAs('undone', f.restore(files))
  await link()
  await expect(f.t.engine.restores.undoRestore(f.site, 'undone')).rejects.toMatchObject({ code: 'unavailable' })
  await untouched()
  await unlink()
  expect(await f.t.engine.restores.undoRestore(f.site, 'undone')).toBe('undone')
  expect(await seen()).toEqual(changed)
  // A link at the very path is taken away as a link, and comes back as one.
  await link()
  await f.runAs('itself', f.restore({ paths: ['wp-content/uploads'], tables: [] }))
  expect((await lstat(links[0])).isDirectory()).toBe(true)
  await untouched()
  expect(await f.t.engine.restores.undoRestore(f.site, 'itself')).toBe('undone')
  expect((await lstat(links[0])).isSymbolicLink()).toBe(true)
  await unlink()
}, 600_000)
