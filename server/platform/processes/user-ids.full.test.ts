import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isDatabaseUserId, ownUserIds, releaseUserIds } from './user-ids.ts'

let root: string
let systemDir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'user-ids-'))
  systemDir = join(root, 'system')
})
afterEach(async () => {
  await rm(root, { recursive: true })
})

async function dataDir(name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder, { recursive: true })
  return folder
}
const claims = async () => (await readdir(join(systemDir, 'user-ids'))).filter((name) => name !== 'lock')

test('an installation keeps its ids, below those of sites, and no two have the same', async () => {
  const folders = await Promise.all(Array.from({ length: 40 }, (_, n) => dataDir(`data-${n}`)))
  const ids = await Promise.all(folders.map((folder) => ownUserIds(folder, systemDir)))
  const all = ids.flatMap(({ postgres, browser }) => [postgres, browser])
  expect(new Set(all).size).toBe(80)
  expect(all.every((uid) => uid >= 53_000 && uid < 53_999)).toBe(true)
  expect(ids.every(({ postgres, browser }) => isDatabaseUserId(postgres) && !isDatabaseUserId(browser))).toBe(true)
  expect(await Promise.all(folders.map((folder) => ownUserIds(folder, systemDir)))).toEqual(ids)
})

test('two concurrent starts of one installation agree', async () => {
  const folder = await dataDir('data')
  const [one, two] = await Promise.all([ownUserIds(folder, systemDir), ownUserIds(folder, systemDir)])
  expect(one).toEqual(two)
  expect(await claims()).toHaveLength(1)
})

test('a copy gets others, a moved one keeps its own, a deleted one leaves its own to the next', async () => {
  const here = await dataDir('here')
  const ids = await ownUserIds(here, systemDir)
  const copy = await dataDir('copy')
  await writeFile(join(copy, 'user-ids.json'), await readFile(join(here, 'user-ids.json')))
  expect(await ownUserIds(copy, systemDir)).not.toEqual(ids)
  expect(await ownUserIds(here, systemDir)).toEqual(ids)
  const moved = join(root, 'moved')
  await rename(here, moved)
  expect(await ownUserIds(moved, systemDir)).toEqual(ids)
  expect(await claims()).toHaveLength(2)
  await releaseUserIds(moved, systemDir)
  expect(await claims()).toHaveLength(1)
  await releaseUserIds(moved, systemDir)
  expect(await ownUserIds(moved, systemDir)).toEqual(ids)
})

test('recreates a missing register and replaces a damaged entry', async () => {
  const folder = await dataDir('data')
  const ids = await ownUserIds(folder, systemDir)
  await rm(systemDir, { recursive: true })
  expect(await ownUserIds(folder, systemDir)).toEqual(ids)
  for (const damaged of ['', '{"first":0}', '{"first":1000}', '{"first":54000}', '{"first":53001}']) {
    await writeFile(join(folder, 'user-ids.json'), damaged)
    expect(isDatabaseUserId((await ownUserIds(folder, systemDir)).postgres)).toBe(true)
  }
})

test('ids that a process or an account of the system has are left to it', async () => {
  const folder = await dataDir('data')
  const pair = [53_500, 53_501]
  expect(await ownUserIds(folder, systemDir, (uid) => !pair.includes(uid))).toEqual({
    postgres: 53_500,
    browser: 53_501,
  })
  const late = await dataDir('late')
  await expect(ownUserIds(late, systemDir, (uid) => !pair.includes(uid))).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('53000 to 53997'),
  })
  expect(await readdir(late)).toEqual([])
})
