import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SitePaths } from '../sites/site-store.ts'
import { adoptStagedSums, forgetStaged, keepStagedSums, readKeptPackage } from './kept-sums.ts'
import { archivesToRemove } from './archives-to-remove.ts'
import { createPackageArchives } from './package-archives.ts'

const hourMs = 3_600_000
const about = { type: 'plugin', folder: 'tool', version: '1.0' } as const
let folder: string
let now: number
let sites: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archives-'))
  now = Date.now()
  sites = ['one', 'two']
  for (const site of sites) await mkdir(join(folder, site))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const siteFolder = (id: string) => join(folder, id)
const open = (options: { maxBytes?: number; minFreeBytes?: number } = {}) =>
  createPackageArchives({
    folder: join(folder, 'packages'),
    maxBytes: 1_000,
    minFreeBytes: 0,
    store: {
      all: () => sites.map((id) => ({ id }) as SiteRecord),
      paths: (id) => ({ folder: siteFolder(id) }) as SitePaths,
    },
    tenants: { of: (site) => `tenant of ${site}` },
    now: () => now,
    ...options,
  })
const file = async (content: string) => {
  const path = join(folder, 'upload.zip')
  await writeFile(path, content)
  return path
}
const kept = () => readdir(join(folder, 'packages'))
/** As a site that installs a package does. */
async function install(archives: ReturnType<typeof open>, site: string, content: string, version = '1.0') {
  const archive = await archives.keep(await file(content), site)
  await keepStagedSums(siteFolder(site), 'x', { folder: 'tool', sums: [], source: 'uploaded', archive })
  await adoptStagedSums(siteFolder(site), 'x', { ...about, version })
  return archive
}

test('a package is kept once for all sites, and removed when no site uses it any more', async () => {
  const archives = open()
  const name = await install(archives, 'one', 'same')
  expect(await install(archives, 'two', 'same')).toBe(name)
  const other = await install(archives, 'two', 'other', '2.0')
  expect((await kept()).toSorted()).toEqual([`${name}.zip`, `${other}.zip`].toSorted())
  expect(await readKeptPackage(siteFolder('one'), about)).toMatchObject({ archive: name, folder: 'tool' })

  // The site is gone, with its folder.
  sites = ['one']
  await archives.removeUnused()
  expect(await kept(), 'too new: a site may be about to use it').toHaveLength(2)
  now += 2 * hourMs
  await archives.removeUnused()
  expect(await kept()).toEqual([`${name}.zip`])
  sites = []
  await archives.removeUnused()
  expect(await kept(), 'looks once an hour').toHaveLength(1)
  now += 2 * hourMs
  await archives.removeUnused()
  expect(await kept()).toEqual([])
  expect(await archives.pathOf(String(name))).toBeNull()
})

test('a version that is installed again replaces what was kept of it', async () => {
  const archives = open()
  await install(archives, 'one', 'before')
  const name = await install(archives, 'one', 'after')
  expect(await readKeptPackage(siteFolder('one'), about)).toMatchObject({ archive: name })
  expect(await readdir(join(siteFolder('one'), 'package-sums'))).toHaveLength(1)
})

test('the oldest go when there are too many, and what is larger than the limit or the disk is not kept', async () => {
  const archives = open()
  const first = await archives.keep(await file('a'.repeat(600)), 'one')
  now += 10_000
  const second = await archives.keep(await file('b'.repeat(600)), 'one')
  expect(await archives.pathOf(String(first))).toBeNull()
  expect(await archives.pathOf(String(second))).not.toBeNull()
  expect(await archives.keep(await file('c'.repeat(1_001)), 'one')).toBeNull()
  expect(await open({ maxBytes: 0 }).keep(await file('d'), 'one')).toBeNull()
  expect(await open({ minFreeBytes: Number.MAX_SAFE_INTEGER }).keep(await file('e'), 'one')).toBeNull()
  expect(await kept()).toEqual([`${second}.zip`])
})

test('what was staged and not installed is forgotten when it is discarded, or after a day', async () => {
  const archives = open()
  const stage = async (id: string) => {
    const archive = await archives.keep(await file(id), 'one')
    await keepStagedSums(siteFolder('one'), id, { folder: 'tool', sums: [], source: 'uploaded', archive })
    return `${archive}.zip`
  }
  const [discarded, forgotten] = [await stage('discarded'), await stage('forgotten')]
  await forgetStaged(siteFolder('one'), 'discarded')
  now += 2 * hourMs
  await archives.removeUnused()
  expect(await kept()).toEqual([forgotten])
  expect(discarded).not.toBe(forgotten)
  now += 24 * hourMs
  await archives.removeUnused()
  expect(await kept()).toEqual([])
})

test('the packages of a tenant that has many displace its own, not those of others', async () => {
  const archives = open()
  const modest = await install(archives, 'two', 'b'.repeat(300))
  const greedy: (string | null)[] = []
  for (const [at, letter] of ['x', 'y', 'z'].entries()) {
    now += 10_000
    greedy.push(await install(archives, 'one', letter.repeat(300), `${at}.0`))
  }
  expect(await archives.pathOf(String(modest)), 'the oldest of all').not.toBeNull()
  const left = await Promise.all(greedy.map((name) => archives.pathOf(String(name))))
  expect(left.map((path) => path !== null)).toEqual([false, true, true])
  // What does not fit beside the others is not kept, and says so.
  expect(await install(archives, 'one', 'w'.repeat(900), '9.0')).toBeNull()
  expect(await archives.pathOf(String(modest))).not.toBeNull()
})

test('a package that others use, too, goes last', () => {
  const archive = (name: string, at: number, tenants: string[]) => ({ path: name, name, size: 100, at, tenants })
  const all = [
    archive('shared', 1, ['a', 'b']),
    archive('old', 2, ['a']),
    archive('new', 3, ['a']),
    archive('none', 4, []),
  ]
  expect(archivesToRemove(all, 300).map(({ name }) => name)).toEqual(['none'])
  expect(archivesToRemove(all, 200).map(({ name }) => name)).toEqual(['none', 'old'])
  expect(archivesToRemove(all, 0).map(({ name }) => name)).toEqual(['none', 'old', 'new', 'shared'])
})
