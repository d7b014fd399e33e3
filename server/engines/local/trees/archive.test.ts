import { execFileSync } from 'node:child_process'
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAsOwner } from '#tests/support/as-owner.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { packFolders } from './pack.ts'
import { verifyArchive } from './prove.ts'
import { unpackFolders } from './unpack.ts'

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
// Including folders without permissions for their owner.
afterEach(() => removeTree(root))

const unlimited = { bytes: Infinity, entries: Infinity }
const pack = (more: Partial<Parameters<typeof packFolders>[0]> = {}) =>
  packFolders({ root, folders, owner: null, limits: unlimited, ...more }, archive, never, quiet)
const unpack = (into: string, limits = unlimited) => unpackFolders(archive, into, limits, never, quiet)
const prove = () => verifyArchive(root, folders, archive, never, quiet)

describe('an archive before the files go', () => {
  it('is proven by what is in it; a folder that is not there has nothing', async () => {
    expect(await pack()).toEqual({ files: 3, bytes: 5_000_003, entries: 5 })
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
  ])('is refused when it %s', async (_what, spoil, reason) => {
    await pack()
    await spoil()
    await expect(prove()).rejects.toMatchObject({
      name: 'EngineError',
      message: expect.stringContaining(reason) as string,
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
    await expect(pack()).rejects.toMatchObject({ code: 'invalid' })
    expect((await readdir(root)).filter((entry) => entry.startsWith('archive'))).toEqual([])
  })

  it('does not hold what is nested deeper than can be entered', async () => {
    let at = join(root, 'www')
    for (let depth = 0; depth < 210; depth += 1) {
      at = join(at, 'd')
      await mkdir(at)
    }
    await expect(pack()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('nested') as string,
    })
  })

  it.each([
    ['a file', 'www/page.txt', 0o000, 'www/page.txt'],
    ['a folder', 'www/deep', 0o300, 'www/deep'],
    ['what is in a folder', 'www/deep', 0o600, 'www/deep/'],
    ['the top folder', 'www', 0o300, 'www'],
  ])('names the unreadable file or folder: %s', async (_what, path, mode, reason) => {
    await chmod(join(root, path), mode)
    const options = { root, folders, owner: null, limits: { bytes: 1e9, entries: 100 } }
    const result = runAsOwner(
      root,
      `import { packFolders } from ${JSON.stringify(new URL('./pack.ts', import.meta.url).href)}
       const packing = packFolders(${JSON.stringify(options)}, ${JSON.stringify(archive)}, new AbortController().signal, () => {})
       packing.catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`,
    )
    expect(result).toEqual({
      code: 'invalid',
      message: expect.stringContaining(`can’t read a file or folder of the site: ${reason}`) as string,
    })
  })

  it('stops at its size limit and leaves nothing behind', async () => {
    await expect(pack({ limits: { bytes: 5_000_000, entries: 100 } })).rejects.toThrow('more than 4 MB')
    await expect(pack({ limits: { bytes: 1e9, entries: 4 } })).rejects.toThrow('more than 4 files')
    expect((await readdir(root)).filter((entry) => entry.startsWith('archive'))).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)('never holds what the user of the site could not read itself', async () => {
    const user = 54_321
    await writeFile(join(root, 'secret'), 'root’s alone', { mode: 0o600 })
    for (const path of ['www', 'www/page.txt', 'www/deep', 'www/deep/empty', 'www/deep/large'])
      await chown(join(root, path), user, user)
    expect((await pack({ owner: user })).files).toBe(3)
    await link(join(root, 'secret'), join(root, 'www', 'mine'))
    await expect(pack({ owner: user })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('www/mine') as string,
    })
  })

  it('leaves out links and special files, without waiting for them', async () => {
    await symlink('/etc/passwd', join(root, 'www', 'link'))
    execFileSync('mkfifo', [join(root, 'www', 'fifo')])
    expect((await pack()).files).toBe(3)
    expect(await prove()).toBe(3)
  })
})

describe('unpacking', () => {
  it('stops when the content exceeds the quota of the site', async () => {
    await pack()
    await expect(unpack(join(root, 'a'), { bytes: 4_000_000, entries: 100 })).rejects.toMatchObject({ code: 'invalid' })
    await expect(unpack(join(root, 'b'), { bytes: 1e9, entries: 3 })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('unpacks only into a new folder that nobody else can enter', async () => {
    await pack()
    await mkdir(join(root, 'again'))
    await expect(unpack(join(root, 'again'))).rejects.toThrow('EEXIST')
    await unpack(join(root, 'new'))
    expect((await stat(join(root, 'new'))).mode & 0o777).toBe(0o700)
  })
})

it('unpacked entries keep their modes, read-only folders too', async () => {
  await chmod(join(root, 'www', 'deep'), 0o555)
  await pack()
  const into = join(root, 'again')
  await unpack(into)
  expect((await stat(join(into, 'www', 'deep'))).mode & 0o777).toBe(0o555)
  expect((await readFile(join(into, 'www', 'deep', 'large'))).length).toBe(5_000_000)
  for (const folder of [join(root, 'www', 'deep'), join(into, 'www', 'deep')]) await chmod(folder, 0o755)
})
