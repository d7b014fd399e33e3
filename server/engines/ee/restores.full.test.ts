import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, type EeServer } from '#tests/support/ee-server.ts'
import { packTar, tarMembers, type TarMember } from '#server/platform/files/tar.ts'
import type { EngineStep, SiteSpec } from '../engine.ts'
import type { BackupWhat } from '#shared/rules/backups.ts'
import { startRestoreFixture, type RestoreFixture } from '#tests/support/ee-restores.ts'

let fixture: RestoreFixture
let t: EeServer
let site: SiteSpec
let archive: string

const inSite = (path: string) => fixture.inSite(path)
const write = (path: string, text: string) => fixture.write(path, text)
const change = async () => {
  await fixture.change(({ options }) => void (options['blogname'] = 'Changed'))
  await write('note.txt', 'changed')
  await write('wp-content/uploads/new.txt', 'new')
}
const seen = async () => {
  const { status, body } = await t.engine.request(site, '/')
  const title = /<title>(.*)<\/title>/.exec(body)?.[1]
  return [status, title, await fixture.read('note.txt'), await fixture.read('wp-content/uploads/new.txt')]
}
const kept = [200, 'Kept', 'kept', null]
const changed = [200, 'Changed', 'changed', 'new']
const source = () => ({ rehearsal: site, archive })
const restore = (what: BackupWhat) => fixture.restore(what)
const runAs = (operationId: string, steps: readonly EngineStep[]) => fixture.runAs(operationId, steps)
const inPlace = (path = '') => fixture.inPlace(path)
const beside = () => readdir(inPlace())

beforeAll(async () => {
  fixture = await startRestoreFixture({ id: 'restore001', domain: 'restore.example.com' }, async (made) => {
    await made.write('note.txt', 'kept')
    await made.write('wp-content/easydash-login/link.php', 'a link')
  })
  ;({ t, site, archive } = fixture)
}, 120_000)
afterEach(() => t.setTraps())
afterAll(() => t?.end())

test('a backup is put in place whole or in part, and what was there before comes back, once', async () => {
  for (const [what, expected] of [
    ['all', kept],
    ['files', [200, 'Changed', 'kept', null]],
    ['database', [200, 'Kept', 'changed', 'new']],
  ] as const) {
    await change()
    await runAs(`op-${what}`, restore(what))
    await t.engine.restores.finishRestore(site)
    await t.engine.restores.finishRestore(site)
    expect([what, await seen()]).toEqual([what, expected])
    expect(await readFile(inSite('wp-content/easydash-login/link.php'), 'utf8')).toBe('a link')
    expect(await t.engine.restores.undoRestore(site, `op-${what}`)).toBe('finished')
    expect(await t.engine.restores.keptBytes(site, AbortSignal.timeout(60_000))).toBeGreaterThan(0)
    await runAs(`back-${what}`, t.engine.restores.bringBackSteps(site))
    await t.engine.restores.finishRestore(site)
    expect([what, await seen()]).toEqual([what, changed])
  }
  await runAs('forgotten', restore('all').slice(0, 1))
  const [yesterday, tomorrow] = [Date.now() - 86_400_000, Date.now() + 86_400_000]
  await expect(t.engine.restores.forgetKept(site, tomorrow)).rejects.toMatchObject({ code: 'conflict' })
  await runAs('forgotten', restore('all').slice(1))
  await t.engine.restores.finishRestore(site)
  await expect(t.engine.restores.forgetKept(site, yesterday)).rejects.toMatchObject({ code: 'conflict' })
  expect(await t.engine.restores.keptBytes(site, AbortSignal.timeout(60_000))).toBeGreaterThan(0)
  for (let run = 0; run < 2; run += 1) await t.engine.restores.forgetKept(site, tomorrow)
  expect(await t.engine.restores.keptBytes(site, AbortSignal.timeout(60_000))).toBeNull()
  expect((await beside()).toSorted()).toEqual(['state', 'wordpress'])
  await expect(runAs('again', t.engine.restores.bringBackSteps(site))).rejects.toMatchObject({ code: 'conflict' })
  expect((await beside()).toSorted()).toEqual(['state', 'wordpress'])
  expect(await t.violations()).toEqual([])
}, 300_000)

test('a restore that was stopped anywhere is taken back; nothing of it is left', async () => {
  await change()
  const { length } = restore('all')
  for (let done = 1; done <= length; done += 1) {
    await runAs('stopped', restore('all').slice(0, done))
    expect(await t.engine.restores.undoRestore(site, 'another')).toBe('undone')
    expect(await t.engine.restores.undoRestore(site, 'stopped')).toBe('undone')
    expect([done, await seen()]).toEqual([done, changed])
  }
  // In the middle of the swap: the database does not take the dump.
  await runAs('broken', restore('all').slice(0, 1))
  await t.setTraps('wp_fails=db import')
  await expect(runAs('broken', restore('all').slice(1))).rejects.toMatchObject({ code: 'unavailable' })
  await t.setTraps()
  expect(await t.engine.restores.undoRestore(site, 'broken')).toBe('undone')
  expect(await seen()).toEqual(changed)
  expect(await beside()).toEqual(['wordpress'])
}, 300_000)

test('a server that was killed between two changes loses neither state', async () => {
  await change()
  await runAs('killed', restore('all'))
  // Its end was noted, and nothing was removed yet.
  await writeFile(inPlace('prev/what'), 'all\n')
  await writeFile(inPlace('state'), 'killed restore all finished\n')
  expect(await t.engine.restores.undoRestore(site, 'killed')).toBe('finished')
  expect(await t.engine.restores.keptBytes(site, AbortSignal.timeout(60_000))).toBeGreaterThan(0)
  await expect(t.engine.restores.forgetKept(site, 0)).rejects.toMatchObject({ code: 'conflict' })
  expect((await beside()).toSorted()).toEqual(['before', 'state', 'wordpress'])
  expect(await seen()).toEqual(kept)
  // A way back had only been noted.
  await writeFile(inPlace('state'), 'back-killed bring_back all begun\n')
  await runAs('back-killed', t.engine.restores.bringBackSteps(site))
  await t.engine.restores.finishRestore(site)
  expect(await seen()).toEqual(changed)
  // Nothing is emptied for a dump that is gone.
  await runAs('lost', restore('database'))
  await rm(inPlace('prev'), { recursive: true })
  await expect(t.engine.restores.undoRestore(site, 'lost')).rejects.toMatchObject({ code: 'unavailable' })
  await rm(inSite('.maintenance'))
  await rm(inPlace('state'))
  expect((await seen())[1]).toBe('Kept')
}, 300_000)

test('a link that a site put in place of a folder leads nobody out of it', async () => {
  const elsewhere = join(t.root, 'elsewhere')
  // What a restore takes from the site as it is now has no link either.
  await write('wp-content/.easydash-previous/plugin.php', 'kept')
  await symlink('/etc/passwd', inSite('wp-content/.easydash-previous/link'))
  await runAs('kept', restore('files').slice(0, 1))
  expect(await readdir(inPlace('next/htdocs/wp-content/.easydash-previous'))).toEqual(['plugin.php'])
  expect(await readdir(inPlace('next/htdocs/wp-content'))).toContain('easydash-login')
  expect(await t.engine.restores.undoRestore(site, 'kept')).toBe('undone')
  await mkdir(join(elsewhere, 'easydash-login'), { recursive: true })
  await writeFile(join(elsewhere, 'easydash-login/secret.php'), 'of another site')
  await rename(inSite('wp-content'), inSite('content'))
  await symlink(elsewhere, inSite('wp-content'))
  await runAs('linked', restore('files').slice(0, 1))
  const unpacked = await readdir(inPlace('next/htdocs/wp-content'))
  expect(unpacked).not.toContain('easydash-login')
  expect(await t.engine.restores.undoRestore(site, 'linked')).toBe('undone')
  await rm(inSite('wp-content'))
  await rename(inSite('content'), inSite('wp-content'))
}, 120_000)

/** The archive with something else in one of its members, by default its manifest. */
async function archiveWith(name: string, text: RegExp, replacement: string, of = 'manifest.json'): Promise<string> {
  const members: TarMember[] = []
  for await (const { header, content } of tarMembers(createReadStream(archive).pipe(createZstdDecompress()))) {
    const bytes = await buffer(Readable.from(content))
    const now = header.name === of ? Buffer.from(bytes.toString().replace(text, replacement)) : bytes
    if (header.name === of) expect(now).not.toEqual(bytes)
    members.push({ header: { ...header, size: now.length }, content: [now] })
  }
  const path = join(t.root, `${name}.tar.zst`)
  await pipeline(Readable.from(packTar(members)), createZstdCompress(), createWriteStream(path))
  return path
}

test('a backup that is larger than the room on the disk is not even sent', async () => {
  const large = await archiveWith('large', /"bytes": \d+/, '"bytes": 9e15')
  const steps = t.engine.restores.restoreSteps(site, { rehearsal: site, archive: large }, 'all')
  await expect(runAs('large', steps)).rejects.toMatchObject({ message: expect.stringContaining('no room') as string })
  expect(await beside()).not.toContain('next')
}, 120_000)

test.each(['no address', 'data:text/html,', 'http://'])('a backup of a site at “%s” is not even sent', async (url) => {
  const crafted = await archiveWith('crafted', /"url": "[^"]*"/, `"url": "${url}"`)
  const steps = t.engine.restores.restoreSteps(site, { rehearsal: site, archive: crafted }, 'all')
  await expect(runAs('crafted', steps)).rejects.toMatchObject({ code: 'invalid' })
  expect(await beside()).not.toContain('next')
})

test.each([
  ['another file', /kept/, 'gone', 'files/note.txt', 'files/note.txt'],
  ['a file that its manifest does not name', /"path": ?"note.txt"/, '"path": "other.txt"', undefined, 'note.txt'],
  ['another dump', /Kept/, 'Gone', 'database.sql', 'database.sql'],
])('a backup with %s is not even sent, in whole or in part', async (_what, text, other, member, named) => {
  const before = await seen()
  const damaged = await archiveWith('damaged', text, other, member)
  for (const what of ['all', 'database', { paths: ['note.txt'], tables: [] }] as const) {
    const steps = t.engine.restores.restoreSteps(site, { rehearsal: site, archive: damaged }, what)
    const message = expect.stringContaining(named) as string
    await expect(runAs('damaged', steps)).rejects.toMatchObject({ code: 'invalid', message })
    expect(await readdir(inPlace('next'))).toEqual([])
    expect(await t.engine.restores.undoRestore(site, 'damaged')).toBe('undone')
  }
  expect(await seen()).toEqual(before)
})

test('a backup of another site, or under another name, changes nothing', async () => {
  const html = eeSpec(t.server, { id: 'restore002', domain: 'plain.example.com', siteType: 'html' })
  await runSteps(t.engine.createSteps(html))
  await expect(runAs('wrong', t.engine.restores.restoreSteps(html, source(), 'all'))).rejects.toMatchObject({
    code: 'invalid',
  })
  const before = await seen()
  await rm(archive)
  await writeFile(archive, 'no archive')
  await expect(runAs('wrong', restore('all'))).rejects.toMatchObject({ code: 'invalid' })
  expect(await seen()).toEqual(before)
}, 120_000)
