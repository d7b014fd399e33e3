import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { openFolder } from '../trees/folder.ts'
import { runFileTask, type FileOutcome, type FileTask } from './file-tasks.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zip-into-'))
  await mkdir(join(folder, 'www', 'in'), { recursive: true })
  await mkdir(join(folder, 'trash'))
  // Random bytes can't be compressed.
  await writeFile(join(folder, 'www', 'in', 'noise'), randomBytes(200_000))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Options {
  bytes?: number
  operation?: string | null
  onProgress?: (done: number) => void
}

const pack = (to: string, { operation = null, ...options }: Options = {}) =>
  run({ task: 'zip', input: { paths: [''], to, operation } }, options)
const undo = async (to: string, operation: string) => (await run({ task: 'undoZip', input: { to, operation } })).value

async function run(task: FileTask, { bytes = 2 ** 30, onProgress }: Options = {}): Promise<FileOutcome> {
  const tree = { root: openFolder(join(folder, 'www')), trash: openFolder(join(folder, 'trash')) }
  try {
    return await runFileTask(tree, task, { bytes, entries: 1_000 }, onProgress)
  } finally {
    tree.root.close()
    tree.trash.close()
  }
}

it('packs the whole site without the archive itself and without links, and counts what it adds', async () => {
  await symlink('/etc/passwd', join(folder, 'www', 'in', 'link'))
  const { value, added } = await pack('in/site.zip')
  const archive = await readFile(join(folder, 'www', 'in', 'site.zip'))
  expect(value).toEqual({ bytes: archive.length })
  expect(added.bytes).toBeGreaterThanOrEqual(archive.length)
  const names: string[] = []
  for await (const entry of (await fromBufferPromise(archive)).eachEntry()) names.push(entry.fileName)
  expect(names).toEqual(['in/', 'in/noise'])
})

it('tells how far it is, in bytes of what it packs', async () => {
  await writeFile(join(folder, 'www', 'in', 'more'), randomBytes(2_000_000))
  const told: number[] = []
  await pack('site.zip', { onProgress: (done) => told.push(done) })
  expect(told.length).toBeGreaterThan(5)
  expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b))
  expect(told.at(-1)).toBe(1)
})

it('ends at the quota, and leaves nothing', async () => {
  await expect(pack('site.zip', { bytes: 100_000 })).rejects.toThrow('quota')
  expect(await readdir(join(folder, 'www'))).toEqual(['in'])
  expect(await readdir(join(folder, 'trash'))).toEqual([])
})

it('repeated, finds its own archive, and nobody else’s', async () => {
  const first = await pack('site.zip', { operation: 'one' })
  const archive = await readFile(join(folder, 'www', 'site.zip'))
  expect((await pack('site.zip', { operation: 'one' })).value).toEqual(first.value)
  expect(await readFile(join(folder, 'www', 'site.zip'))).toEqual(archive)
  await expect(pack('site.zip', { operation: 'two' })).rejects.toThrow('site.zip exists already')
  await expect(pack('site.zip')).rejects.toThrow('site.zip exists already')
  await writeFile(join(folder, 'www', 'site.zip'), 'changed')
  await expect(pack('site.zip', { operation: 'one' })).rejects.toThrow('site.zip exists already')
  await rm(join(folder, 'www', 'site.zip'))
  expect((await pack('site.zip', { operation: 'two' })).value).toEqual(first.value)
  expect(await readdir(join(folder, 'trash')), 'what is noted of the one before is gone').toEqual(['.packed-two'])
})

it('is taken back as often as wanted, and only by its own operation', async () => {
  await pack('in/site.zip', { operation: 'one' })
  expect(await undo('in/site.zip', 'two')).toEqual({ left: false })
  expect(await readdir(join(folder, 'www', 'in'))).toEqual(['noise', 'site.zip'])
  expect(await undo('in/site.zip', 'one')).toEqual({ left: false })
  expect(await undo('in/site.zip', 'one')).toEqual({ left: false })
  expect(await readdir(join(folder, 'www', 'in'))).toEqual(['noise'])
  expect(await readdir(join(folder, 'trash'))).toEqual([])
  await pack('in/site.zip', { operation: 'one' })
  await rm(join(folder, 'www', 'in'), { recursive: true })
  expect(await undo('in/site.zip', 'one')).toEqual({ left: false })
})

it('is not taken back once something else has its name, whatever that is', async () => {
  const archive = join(folder, 'www', 'site.zip')
  await pack('site.zip', { operation: 'one' })
  const bytes = await readFile(archive)
  // The same file with other content of the same size, as a later use of its inode would be.
  await writeFile(
    archive,
    bytes.map((byte) => byte ^ 1),
  )
  await utimes(archive, 1, 1)
  expect(await undo('site.zip', 'one')).toEqual({ left: true })
  expect(await undo('site.zip', 'one')).toEqual({ left: true })
  expect((await readFile(archive)).length).toBe(bytes.length)
  await rm(archive)
  await symlink('in/noise', archive)
  expect(await undo('site.zip', 'one')).toEqual({ left: true })
  await rm(archive)
  await mkdir(archive)
  expect(await undo('site.zip', 'one')).toEqual({ left: true })
  await rm(archive, { recursive: true })
  await pack('site.zip', { operation: 'one' })
  await rename(archive, join(folder, 'www', 'moved.zip'))
  await writeFile(archive, 'theirs')
  expect(await undo('site.zip', 'one')).toEqual({ left: true })
  expect((await readdir(join(folder, 'www'))).toSorted()).toEqual(['in', 'moved.zip', 'site.zip'])
})

it('has nothing to take back from an operation that was refused, wherever it was to put its archive', async () => {
  for (const to of ['../out.zip', '', 'missing/site.zip', 'in/noise']) {
    await expect(pack(to, { operation: 'one' })).rejects.toThrow(/./)
    expect(await undo(to, 'one'), to).toEqual({ left: false })
  }
  expect(await readdir(join(folder, 'www', 'in'))).toEqual(['noise'])
})
