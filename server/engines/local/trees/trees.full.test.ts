import { chmod, mkdir, mkdtemp, readdir, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAsOwner } from '#tests/support/as-owner.ts'
import { createTrees } from './trees.ts'

const trees = createTrees()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'work-'))
})
afterEach(() => trees.run('remove', { paths: [folder] }))
afterAll(() => trees.stop())

const megabyte = 1024 * 1024

describe('measuring', () => {
  const whole = { entries: 1e6, cpuMs: 60_000, waited: true }
  const measure = async (limits: { entries?: number; cpuMs?: number } = {}) =>
    (await trees.run('measure', { paths: [folder], ...whole, ...limits }))[0]

  it('counts what a folder takes, holes and links as what they are', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true })
    await writeFile(join(folder, 'a', 'b', 'file'), Buffer.alloc(3 * megabyte))
    await writeFile(join(folder, 'sparse'), '')
    await truncate(join(folder, 'sparse'), 5 * megabyte)
    await symlink('/', join(folder, 'everything'))
    const found = await measure()
    expect(found).toMatchObject({ entries: 5, complete: true })
    expect(found?.bytes).toBeGreaterThanOrEqual(8 * megabyte)
    expect(found?.bytes).toBeLessThan(9 * megabyte)
  })

  it('finds nothing where nothing is, and never looks through a link', async () => {
    await symlink('/', join(folder, 'link'))
    const paths = [join(folder, 'missing'), join(folder, 'link')]
    const nothing = { bytes: 0, entries: 0, complete: true, hidden: false }
    expect(await trees.run('measure', { paths, ...whole })).toEqual([nothing, nothing])
  })

  it('stops after so many entries or so long, and says that there is more', async () => {
    for (let at = 0; at < 50; at += 1) await writeFile(join(folder, `f${at}`), 'x')
    expect(await measure({ entries: 20 })).toMatchObject({ entries: 20, complete: false })
    expect(await measure({ cpuMs: 0 })).toMatchObject({ complete: false, hidden: false })
    expect(await measure({ entries: 50 })).toMatchObject({ entries: 50, complete: true })
  })

  it('says that something is hidden where folders are nested too deep', async () => {
    await mkdir(join(folder, ...Array.from({ length: 250 }, () => 'd')), { recursive: true })
    expect(await measure()).toMatchObject({ complete: false, hidden: true })
  })

  it.each([
    ['the top folder', '', 0o000],
    ['a folder with no right to list it', 'closed', 0o300],
    ['a folder with no right to look at what is in it', 'closed', 0o400],
  ])('says that something is hidden in %s, and never fails because of it', async (_what, name, mode) => {
    await mkdir(join(folder, 'closed'))
    await writeFile(join(folder, 'closed', 'file'), '')
    await chmod(join(folder, name), mode)
    expect(measureAsOwner()).toMatchObject({ complete: false, hidden: true })
  })

  const measureAsOwner = (): unknown =>
    runAsOwner(
      folder,
      `import { measureTree } from ${JSON.stringify(new URL('./measure.ts', import.meta.url).href)}
       console.log(JSON.stringify(measureTree(${JSON.stringify(folder)}, { entries: 100, cpuMs: 60_000 })))`,
    )
})

describe('trimming', () => {
  it('removes the oldest files first, and everything that is not a file', async () => {
    await mkdir(join(folder, 'folder'))
    await writeFile(join(folder, 'folder', 'below'), '')
    await symlink('/etc/passwd', join(folder, 'link'))
    for (let at = 1; at <= 6; at += 1) {
      await writeFile(join(folder, `mail${at}`), Buffer.alloc(megabyte))
      await utimes(join(folder, `mail${at}`), at, at)
    }
    await trees.run('trim', { path: folder, limits: { bytes: 10 * megabyte, entries: 5 } })
    expect((await readdir(folder)).toSorted()).toEqual(['mail2', 'mail3', 'mail4', 'mail5', 'mail6'])
    await trees.run('trim', { path: folder, limits: { bytes: 2 * megabyte, entries: 5 } })
    expect((await readdir(folder)).toSorted()).toEqual(['mail5', 'mail6'])
    await trees.run('trim', { path: join(folder, 'missing'), limits: { bytes: 0, entries: 0 } })
  })
})

describe('a process for trees', () => {
  it('passes on rejections with their messages, and system errors with their codes', async () => {
    await mkdir(join(folder, 'www'))
    await writeFile(join(folder, 'www', 'file'), 'x'.repeat(2 * megabyte))
    const options = { root: folder, folders: ['www'], owner: null, limits: { bytes: megabyte, entries: 10 } }
    const packing = trees.run('pack', { options, target: join(folder, 'archive') })
    await expect(packing).rejects.toMatchObject({
      name: 'EngineError',
      code: 'invalid',
      localized: { id: 'The site needs more than {0} MB, its quota.', values: [1] },
    })
    const limits = { bytes: Number.POSITIVE_INFINITY, entries: 10 }
    const unpacking = trees.run('unpack', { archive: join(folder, 'missing'), into: join(folder, 'into'), limits })
    await expect(unpacking).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('ends immediately when its task is aborted', async () => {
    await mkdir(join(folder, 'www'))
    for (let at = 0; at < 2000; at += 1) await writeFile(join(folder, 'www', `f${at}`), 'x')
    const giveUp = new AbortController()
    const options = { root: folder, folders: ['www'], owner: null, limits: { bytes: Infinity, entries: Infinity } }
    const packing = trees.run(
      'pack',
      { options, target: join(folder, 'archive') },
      { signal: giveUp.signal, onProgress: () => giveUp.abort(new Error('given up')) },
    )
    await expect(packing).rejects.toThrow('given up')
    expect(await readdir(folder)).not.toContain('archive')
    await expect(trees.run('remove', { paths: [] }, { signal: giveUp.signal })).rejects.toThrow('given up')
  })

  it('is not begun any more once the engine stops', async () => {
    const stopped = createTrees()
    await stopped.stop()
    await expect(stopped.run('remove', { paths: [folder] })).rejects.toMatchObject({ code: 'unavailable' })
    expect((await stat(folder)).isDirectory()).toBe(true)
  })
})
