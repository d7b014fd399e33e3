import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSiteStore } from './site-store.ts'

describe('the store of sites', () => {
  let folder: string
  let told: unknown[]
  const log = { error: (...line: unknown[]) => void told.push(line), warn: () => undefined, info: () => undefined }
  beforeEach(async () => {
    told = []
    folder = await mkdtemp(join(tmpdir(), 'store-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('removes what a write that was cut off left, and keeps the record before it', async () => {
    const site = join(folder, 'local', 'sites', 'abcdefghij')
    await mkdir(site, { recursive: true })
    await writeFile(join(site, 'site.json'), JSON.stringify({ id: 'abcdefghij', domain: 'blog', state: 'ready' }))
    await writeFile(join(site, 'site.json.0a1b2c3d.tmp'), '{"id":"abc')
    const store = await openSiteStore(folder, log)
    expect(store.byDomain('blog')?.state).toBe('ready')
    expect(await readdir(site)).toEqual(['site.json'])
    expect(told).toEqual([])
  })

  it('tells of a damaged record and leaves its folder alone', async () => {
    const site = join(folder, 'local', 'sites', 'abcdefghij')
    await mkdir(site, { recursive: true })
    await writeFile(join(site, 'site.json'), '{"id":"abc')
    await writeFile(join(folder, 'local', 'sites', 'notes.txt'), 'mine')
    const store = await openSiteStore(folder, log)
    expect(store.all()).toEqual([])
    expect(told).toEqual([[expect.stringContaining('cannot be read'), { path: join(site, 'site.json') }]])
    expect((await readdir(store.root)).toSorted((a, b) => a.localeCompare(b))).toEqual(['abcdefghij', 'notes.txt'])
  })
})
