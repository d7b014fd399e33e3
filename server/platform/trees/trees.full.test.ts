import { closeSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolder } from './folder.ts'
import { removeTree } from './remove-tree.ts'
import { maxDepth, walkTree } from './walk.ts'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'trees-')))
})
afterEach(async () => {
  await removeTree(folder)
})

const bytes = (name: string): Buffer => Buffer.from(name)
/** A name that is not valid UTF-8: Latin-1 bytes. */
const noText = Buffer.from([0x63, 0x61, 0x66, 0xe9])

/** Creates folders nested deeper than any path can address, by repeatedly moving the whole tree into a new folder. */
async function makeDeep(at: string, depth = 30): Promise<void> {
  const name = 'd'.repeat(200)
  const tree = join(at, 'tree')
  const wrapper = join(at, 'wrapper')
  await mkdir(tree)
  await writeFile(join(tree, 'file'), 'at the bottom')
  for (let level = 0; level < depth; level += 1) {
    await mkdir(wrapper)
    await rename(tree, join(wrapper, name))
    await rename(wrapper, tree)
  }
}

/**
 * Attacks code that relies on paths, as a site's process could: in a separate thread it repeatedly creates a folder with the
 * same file names as `target` and replaces it with a link to `target`, while `work` runs.
 */
async function withSwappedPath(path: string, target: string, names: readonly string[], work: () => Promise<void>) {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const swapping = new Worker(
    `const fs = require('node:fs'); const { parentPort, workerData: { path, target, names, flag } } = require('node:worker_threads')
     const quiet = (work) => { try { work() } catch {} }
     parentPort.postMessage('begun')
     for (let round = 0; Atomics.load(flag, 0) === 0; round += 1) {
       quiet(() => fs.mkdirSync(path))
       for (const name of names) quiet(() => fs.writeFileSync(path + '/' + name, '', { flag: 'wx' }))
       quiet(() => fs.renameSync(path, path + '-' + (round % 20)))
       quiet(() => fs.symlinkSync(target, path))
       for (let wait = 0; wait < 20; wait += 1) quiet(() => fs.lstatSync(path))
       quiet(() => fs.unlinkSync(path))
     }`,
    { eval: true, workerData: { path, target, names, flag } },
  )
  try {
    await new Promise((resolve) => {
      swapping.once('message', resolve)
    })
    await work()
  } finally {
    Atomics.store(flag, 0, 1)
    await new Promise((resolve) => {
      swapping.once('exit', resolve)
    })
  }
}

describe('a folder by handle', () => {
  it('stays what it was when its path is swapped for a link', async () => {
    await mkdir(join(folder, 'site', 'below'), { recursive: true })
    await writeFile(join(folder, 'site', 'below', 'file'), 'own')
    await mkdir(join(folder, 'outside', 'below'), { recursive: true })
    await writeFile(join(folder, 'outside', 'below', 'file'), 'foreign')
    const root = openFolder(join(folder, 'site'))
    try {
      await rename(join(folder, 'site'), join(folder, 'moved'))
      await symlink(join(folder, 'outside'), join(folder, 'site'))
      const below = root.open(bytes('below'))
      const file = below?.openFile(bytes('file'))
      expect(file && readFileSync(file.fd, 'utf8')).toBe('own')
      if (file) closeSync(file.fd)
      below?.close()
    } finally {
      root.close()
    }
    expect(() => openFolder(join(folder, 'site'))).toThrow('ENOTDIR')
  })

  it('opens neither links nor special files, and does not wait for a FIFO', async () => {
    await writeFile(join(folder, 'file'), 'x')
    await symlink(join(folder, 'file'), join(folder, 'link'))
    await symlink(folder, join(folder, 'folder-link'))
    execFileSync('mkfifo', [join(folder, 'fifo')])
    const root = openFolder(folder)
    try {
      for (const name of ['link', 'fifo', 'folder-link', 'missing'])
        for (const flags of ['r', 'r+'] as const) expect(root.openFile(bytes(name), flags)).toBeNull()
      for (const name of ['link', 'fifo', 'folder-link', 'file', 'missing']) expect(root.open(bytes(name))).toBeNull()
    } finally {
      root.close()
    }
  })

  it.skipIf(process.getuid?.() !== 0)('does not change the owner of a file with a second hard link', async () => {
    await writeFile(join(folder, 'secret'), 'x', { mode: 0o600 })
    await mkdir(join(folder, 'site'))
    await link(join(folder, 'secret'), join(folder, 'site', 'mine'))
    await symlink(join(folder, 'secret'), join(folder, 'site', 'link'))
    const root = openFolder(join(folder, 'site'))
    try {
      expect(() => root.chownEntry(bytes('mine'), 54_321, 54_321)).toThrow('second hard link')
      root.chownEntry(bytes('link'), 54_321, 54_321)
      expect(root.statsOf(bytes('link'))?.uid).toBe(54_321)
    } finally {
      root.close()
    }
    expect((await stat(join(folder, 'secret'))).uid).toBe(0)
  })
})

describe('a walk', () => {
  it('lists everything once, folders first, and follows no links', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true })
    await writeFile(join(folder, 'a', 'b', 'file'), '')
    await writeFile(Buffer.concat([bytes(`${folder}/a/`), noText]), '')
    await symlink('/', join(folder, 'a', 'root'))
    execFileSync('mkfifo', [join(folder, 'a', 'fifo')])
    const root = openFolder(folder)
    const found = [...walkTree(root)].map(({ path, kind }) => `${kind} ${path.toString('latin1')}`)
    root.close()
    expect(found.toSorted()).toEqual(
      ['file a/b/file', 'file a/caf\u00e9', 'folder a', 'folder a/b', 'other a/fifo', 'other a/root'].toSorted(),
    )
    expect(found.indexOf('folder a')).toBeLessThan(found.indexOf('folder a/b'))
  })

  it('omits entries that are nested too deeply, and reports it; keeps its files open only that long', async () => {
    await makeDeep(folder, maxDepth)
    const before = await readdir('/proc/self/fd').catch(() => [])
    const root = openFolder(folder)
    const found = [...walkTree(root)]
    root.close()
    expect(found.map(({ skipped }) => skipped).filter((why) => why !== null)).toEqual(['deep'])
    expect(found).toHaveLength(maxDepth)
    expect((await readdir('/proc/self/fd').catch(() => [])).length).toBe(before.length)
  })

  it('continues if a folder is removed while it is in it', async () => {
    for (const name of ['a', 'b']) await mkdir(join(folder, name))
    const root = openFolder(folder)
    const found = []
    for (const { name, skipped } of walkTree(root)) {
      found.push(`${name.toString()} ${skipped}`)
      await rmdir(join(folder, name.toString()))
    }
    root.close()
    expect(found.toSorted()).toEqual(['a null', 'b null'])
  })

  it('never leaves the tree while a folder is swapped for a link', async () => {
    await mkdir(join(folder, 'outside'))
    await writeFile(join(folder, 'outside', 'secret'), '')
    await mkdir(join(folder, 'site'))
    const met = new Set<string>()
    await withSwappedPath(join(folder, 'site', 'turning'), join(folder, 'outside'), ['own'], async () => {
      for (let round = 0; round < 500; round += 1) {
        const root = openFolder(join(folder, 'site'))
        for (const { name } of walkTree(root)) met.add(name.toString())
        root.close()
        await nextTurn()
      }
    })
    expect(met).not.toContain('secret')
  })
})

describe('removing a tree', () => {
  it('removes folders nested beyond the longest path', async () => {
    await makeDeep(folder, 100)
    await expect(rm(join(folder, 'tree'), { recursive: true })).rejects.toThrow('ENAMETOOLONG')
    await removeTree(join(folder, 'tree'))
    expect(await readdir(folder)).toEqual([])
  })

  it('follows no link and needs no right the site took away', async () => {
    await mkdir(join(folder, 'outside'))
    await writeFile(join(folder, 'outside', 'kept'), '')
    await mkdir(join(folder, 'site', 'closed'), { recursive: true })
    await writeFile(join(folder, 'site', 'closed', 'file'), '')
    await symlink(join(folder, 'outside'), join(folder, 'site', 'link'))
    await mkdir(join(folder, 'site', 'deep'))
    await makeDeep(join(folder, 'site', 'deep'))
    await chmod(join(folder, 'site', 'closed'), 0)
    await removeTree(join(folder, 'site'))
    expect(await readdir(folder)).toEqual(['outside'])
    expect(await readdir(join(folder, 'outside'))).toEqual(['kept'])
    await removeTree(join(folder, 'site'))
  })

  it('removes names that are not valid text', async () => {
    await mkdir(join(folder, 'site'))
    const odd = Buffer.concat([bytes(`${folder}/site/`), noText])
    await mkdir(odd)
    await writeFile(Buffer.concat([odd, bytes('/file')]), '')
    await removeTree(join(folder, 'site'))
    expect(await readdir(folder)).toEqual([])
  })

  it('removes a link itself, and a plain file', async () => {
    await mkdir(join(folder, 'kept'))
    await symlink(join(folder, 'kept'), join(folder, 'link'))
    await writeFile(join(folder, 'file'), '')
    await removeTree(join(folder, 'link'))
    await removeTree(join(folder, 'file'))
    expect(await readdir(folder)).toEqual(['kept'])
  })

  it('removes nothing outside while a folder is swapped for a link', async () => {
    const outside = join(folder, 'outside')
    await mkdir(outside)
    const names = Array.from({ length: 30 }, (_, index) => `kept-${index}`)
    for (const name of names) await writeFile(join(outside, name), '')
    const site = join(folder, 'site')
    await withSwappedPath(join(site, 'turning'), outside, names, async () => {
      for (let round = 0; round < 200; round += 1) {
        await mkdir(site, { recursive: true })
        // Failing to remove something during the attack is an expected error; only what is outside matters here.
        await removeTree(site).catch(() => undefined)
      }
    })
    expect((await readdir(outside)).toSorted()).toEqual(names.toSorted())
  })
})
