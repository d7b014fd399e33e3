import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proveArchive } from './archive-proof.ts'
import { packFolders, unpackFolders } from './archive.ts'

const never = new AbortController().signal
const quiet = () => undefined
const folders = ['www', 'logs'] as const

let root: string
let archive: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'easydash-archive-'))
  archive = join(root, 'archive.tar.zst')
  await mkdir(join(root, 'www', 'deep'), { recursive: true })
  await writeFile(join(root, 'www', 'page.txt'), 'two')
  await writeFile(join(root, 'www', 'deep', 'empty'), '')
  await writeFile(join(root, 'www', 'deep', 'large'), Buffer.alloc(5_000_000, 7))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const pack = () => packFolders(root, folders, archive, never, quiet)
const prove = () => proveArchive(root, folders, archive, never, quiet)

describe('an archive before the files go', () => {
  it('is proven by what is in it; a folder that is not there has nothing', async () => {
    expect(await pack()).toBe(3)
    expect(await prove()).toBe(3)
  })

  it.each([
    ['is damaged', () => writeFile(archive, 'no archive'), 'cannot be read'],
    ['is cut off', async () => truncate(archive, (await stat(archive)).size - 20), 'cannot be read'],
    ['has other content', () => writeFile(join(root, 'www', 'page.txt'), 'one'), 'www/page.txt'],
    [
      'has other content in a large file',
      () => writeFile(join(root, 'www', 'deep', 'large'), Buffer.alloc(5_000_000)),
      'large',
    ],
    ['lacks a file', () => writeFile(join(root, 'www', 'late.txt'), ''), 'www/late.txt'],
  ])('is refused when it %s', async (_what, spoil, told) => {
    await pack()
    await spoil()
    await expect(prove()).rejects.toMatchObject({
      name: 'EngineError',
      message: expect.stringContaining(told) as string,
    })
  })

  it('is not blamed for a file that cannot be read', async () => {
    await pack()
    await rm(join(root, 'www', 'page.txt'))
    await mkdir(join(root, 'www', 'page.txt'))
    await expect(prove()).rejects.toThrow('www/page.txt')
  })

  it('is refused with a name that could not be restored, while the file is still there', async () => {
    await writeFile(join(root, 'www', 'wp-content\\plugins.php'), '')
    await pack()
    await expect(prove()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('plugins.php') as string,
    })
  })

  it('leaves nothing out silently: a folder whose name is not text ends the packing', async () => {
    const name = Buffer.concat([Buffer.from(join(root, 'www', 'caf')), Buffer.from([0xe9])])
    await mkdir(name)
    await writeFile(Buffer.concat([name, Buffer.from('/file')]), 'kept')
    await expect(pack()).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await readdir(root)).includes('archive.tar.zst')).toBe(false)
  })
})

it('what is unpacked has its modes, folders nobody may write into too', async () => {
  await chmod(join(root, 'www', 'deep'), 0o555)
  await pack()
  const into = join(root, 'again')
  await unpackFolders(archive, into, null, never, quiet)
  expect((await stat(join(into, 'www', 'deep'))).mode & 0o777).toBe(0o555)
  expect((await readFile(join(into, 'www', 'deep', 'large'))).length).toBe(5_000_000)
  for (const folder of [join(root, 'www', 'deep'), join(into, 'www', 'deep')]) await chmod(folder, 0o755)
})
