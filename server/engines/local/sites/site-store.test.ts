import { chown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { openSiteStore } from './site-store.ts'
import { firstUid } from './site-users.ts'

const record = (changes: object = {}) =>
  JSON.stringify({
    id: 'abcdefghij',
    domain: 'blog',
    siteType: 'html',
    phpVersion: '8.4',
    state: 'ready',
    ...changes,
  })

describe('the store of sites', () => {
  let folder: string
  let logged: unknown[]
  const log = { error: (...line: unknown[]) => void logged.push(line), warn: () => undefined, info: () => undefined }
  const openStore = () => openSiteStore(folder, log, (paths) => Promise.all(paths.map(removeTree)))
  beforeEach(async () => {
    logged = []
    folder = await mkdtemp(join(tmpdir(), 'store-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('removes what a write that was cut off left, and keeps the record before it', async () => {
    const site = join(folder, 'local', 'sites', 'abcdefghij')
    await mkdir(site, { recursive: true })
    await writeFile(join(site, 'site.json'), record())
    await writeFile(join(site, 'site.json.0a1b2c3d.tmp'), '{"id":"abc')
    const store = await openStore()
    expect(store.byDomain('blog')?.state).toBe('ready')
    expect(await readdir(site)).toEqual(['site.json'])
    expect(logged).toEqual([])
  })

  it.each<[string, (site: string) => Promise<unknown>, RegExp]>([
    ['cut off', (site) => writeFile(join(site, 'site.json'), '{"id":"abc'), /damaged/],
    ['null', (site) => writeFile(join(site, 'site.json'), 'null'), /damaged/],
    ['of another site', (site) => writeFile(join(site, 'site.json'), record({ id: 'zzzzzzzzzz' })), /damaged/],
    ['without a domain', (site) => writeFile(join(site, 'site.json'), record({ domain: undefined })), /damaged/],
    ['not readable', (site) => mkdir(join(site, 'site.json')), /\(EISDIR\)/],
    ['gone, and files are there', (site) => mkdir(join(site, 'www')), /no site\.json/],
  ])('logs a record that is %s, leaves its folder alone and opens the others', async (_what, damage, reason) => {
    const root = join(folder, 'local', 'sites')
    const site = join(root, 'abcdefghij')
    await mkdir(site, { recursive: true })
    await mkdir(join(root, 'klmnopqrst'))
    await writeFile(join(root, 'klmnopqrst', 'site.json'), record({ id: 'klmnopqrst', domain: 'other' }))
    await writeFile(join(root, 'notes.txt'), 'mine')
    await damage(site)
    const before = await readdir(site)
    const store = await openStore()
    expect(store.all().map(({ domain }) => domain)).toEqual(['other'])
    expect(logged).toEqual([
      [expect.stringContaining('left out'), { folder: site, reason: expect.stringMatching(reason) as string }],
    ])
    expect(await readdir(site)).toEqual(before)
  })

  it('says nothing of a creation that was cut off before its first record', async () => {
    await mkdir(join(folder, 'local', 'sites', 'abcdefghij'), { recursive: true })
    expect((await openStore()).all()).toEqual([])
    expect(logged).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)('knows the owner of files in a site that is left out', async () => {
    const www = join(folder, 'local', 'sites', 'abcdefghij', 'www')
    await mkdir(www, { recursive: true })
    await chown(www, firstUid, firstUid)
    const store = await openStore()
    expect([...store.unknownFolders]).toEqual([['abcdefghij', firstUid]])
    await store.remove('abcdefghij')
    expect([...store.unknownFolders]).toEqual([])
  })

  it('opens immediately after an interrupted removal, and lists its leftovers', async () => {
    const leftover = join(folder, 'local', 'sites', '.gone-abc')
    await mkdir(join(leftover, 'www'), { recursive: true })
    const store = await openStore()
    expect(store.all()).toEqual([])
    expect(store.leftovers.map((path) => path.slice(-9))).toEqual(['.gone-abc'])
  })

  it('never restores a removed site, whatever write started before its removal', async () => {
    const store = await openStore()
    await store.save(JSON.parse(record()))
    const begun = store.change('abcdefghij', (now) => ({ ...now, suspended: true }))
    const removed = store.remove('abcdefghij')
    const late = store.change('abcdefghij', (now) => ({ ...now, suspended: true }))
    await removed
    expect((await begun)?.suspended).toBe(true)
    expect(await late).toBeNull()
    expect([store.all(), store.byDomain('blog'), await readdir(store.root)]).toEqual([[], undefined, []])
  })

  it('nobody else can access a new site until it is complete', async () => {
    const store = await openStore()
    await store.save(JSON.parse(record()))
    expect((await lstat(store.paths('abcdefghij').folder)).mode & 0o777).toBe(0o700)
  })
})
