import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { treeSize } from './copy-tree.ts'
import { removeTree } from './remove-tree.ts'
import { openSiteStore } from './site-store.ts'

/** Makes folders nested deeper than any path can name: each time the whole tree moves into a new one. */
async function makeDeep(folder: string): Promise<void> {
  const name = 'd'.repeat(200)
  const tree = join(folder, 'tree')
  const wrapper = join(folder, 'wrapper')
  await mkdir(tree)
  await writeFile(join(tree, 'file'), 'at the bottom')
  for (let depth = 0; depth < 30; depth += 1) {
    await mkdir(wrapper)
    await rename(tree, join(wrapper, name))
    await rename(wrapper, tree)
  }
}

describe('removing what sites leave', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'remove-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('removes folders nested beyond the longest path', async () => {
    await makeDeep(folder)
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

  it('lets the program start after a removal that was cut off in such a folder', async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const gone = join(folder, 'local', 'sites', '.gone-abc')
    await mkdir(gone, { recursive: true })
    await makeDeep(gone)
    const store = await openSiteStore(folder, log)
    expect(store.all()).toEqual([])
    expect(await readdir(store.root)).toEqual([])
  })

  it('measures what it can reach of such a folder', async () => {
    await makeDeep(folder)
    await writeFile(join(folder, 'file'), '12345')
    expect(await treeSize(folder)).toBe(5)
    await removeTree(join(folder, 'tree'))
  })
})
