import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { attacksOn, leaveTraps } from '#tests/support/site-file-attacks.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import type { SiteSpec } from '../engine.ts'
import { decodedPath, encodedPath } from './files-call.ts'

let t: EeServer
let site: SiteSpec
let outside: string
const files = () => t.engine.files
const www = (...names: string[]) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', ...names)

/** What is kept beside the site. */
const beside = (name: string) =>
  join(t.root, 'var/lib/docker/volumes', `${site.domain.replaceAll(/[.-]/g, '')}_htdocs/easydash-files`, name)

beforeAll(async () => {
  t = await startEeServer()
  site = await t.create()
})
afterAll(() => t?.end())
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'outside-'))
  await writeFile(join(outside, 'secret'), 'secret')
  await rm(www('h'), { recursive: true, force: true })
  await mkdir(www('h'))
  // What was refused stays for a day.
  await rm(beside('sent'), { recursive: true, force: true })
  return () => rm(outside, { recursive: true, force: true })
})

test('links are listed, and lead nowhere', { timeout: 300_000 }, async () => {
  await leaveTraps(www('h'), outside)
  await link(join(outside, 'secret'), www('h', 'hard')).catch(() => undefined)
  expect((await files().list(site, 'h')).entries).toMatchObject([
    { name: 'fifo', kind: 'other' },
    { name: 'file-link', kind: 'other' },
    { name: 'folder-link', kind: 'other' },
    { name: 'hard', kind: 'file' },
  ])
  for (const work of await attacksOn(files(), site, { work: t.root, page: 'index.html' }))
    await expect(work(), String(work)).rejects.toThrow()
  expect(await readdir(outside)).toEqual(['secret'])
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  await rm(www('h', 'hard'))
  const packed = await buffer(await files().pack(site, ['h']))
  expect(packed.includes('secret')).toBe(false)
  await files().copy(site, 'h', 'copied')
  expect(await readdir(www('copied'))).toEqual(['link.zip'])
  const { id } = await files().remove(site, ['h/folder-link'])
  await files().restore(site, id)
  expect((await lstat(www('h', 'folder-link'))).isSymbolicLink()).toBe(true)
})

test('what is too old goes by itself, beside all sites of a server', { timeout: 120_000 }, async () => {
  for (const name of ['old', 'new']) await writeFile(www('h', name), name)
  const [old, young] = [await files().remove(site, ['h/old']), await files().remove(site, ['h/new'])]
  const before = `${(Date.now() - 8 * 86_400_000).toString(36).padStart(8, '0')}${old.id.slice(8)}`
  await rename(join(beside('trash'), old.id), join(beside('trash'), before))
  for (const name of ['left', 'under-way']) await writeFile(join(beside('sent'), name), name)
  await utimes(join(beside('sent'), 'left'), 0, 0)
  await t.engine.host.sweepKept?.(t.server)
  expect(await readdir(beside('trash'))).toEqual([young.id])
  expect(await readdir(beside('sent'))).toEqual(['under-way'])
  // So does what whoever only reads may leave.
  await utimes(join(beside('sent'), 'under-way'), 0, 0)
  await buffer(await files().pack(site, ['h']))
  expect(await readdir(beside('sent'))).toEqual([])
  await files().emptyTrash(site)
})

test('drop-ins of WordPress are files like any other, as its database is none', { timeout: 120_000 }, async () => {
  const wp = await t.create({ siteType: 'wp' })
  const path = 'wp-content/db.php'
  await files().write(wp, path, '<?php', null)
  await files().makeFolder(wp, 'wp-content/database')
  await files().move(wp, [{ from: path, to: 'wp-content/database/db.php' }])
  await writeFile(join(outside, 'zip'), makeZip([{ name: 'db.php', content: Buffer.from('<?php // new') }]))
  await files().put(wp, 'drop-in.zip', join(outside, 'zip'), false)
  await files().unpack(wp, 'drop-in.zip', { into: 'wp-content', replace: false, signal: AbortSignal.timeout(60_000) })
  expect((await files().read(wp, path)).content).toBe('<?php // new')
  await files().remove(wp, ['wp-content/database', path])
  expect((await files().list(wp, 'wp-content')).entries.map(({ name }) => name)).not.toContain('db.php')
})

test('a server without room takes nothing, and says so', { timeout: 120_000 }, async () => {
  const disk = join(t.root, 'etc/disk')
  const before = await readFile(disk, 'utf8')
  await writeFile(disk, '41943040 41418752 524288 99%')
  for (const work of [
    () => files().put(site, 'h/secret', join(outside, 'secret'), false),
    () => files().write(site, 'h/new', 'x', null),
  ])
    await expect(work()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('no room') as string,
    })
  await writeFile(disk, before)
  expect([await readdir(www('h')), await readdir(beside('sent'))]).toEqual([[], []])
})

test('a download asks once where the site is, however large it is', { timeout: 120_000 }, async () => {
  const large = Buffer.alloc(4 * 1_048_576, 'x')
  await writeFile(www('h', 'large'), large)
  const program = join(t.root, 'bin/sqlite3')
  const [asked, real] = [join(t.root, 'tmp/asked'), join(t.root, 'tmp/sqlite3')]
  await symlink(join(t.root, 'bin/easyengine-programs'), real)
  await rm(program)
  await writeFile(program, `#!/bin/sh\necho x >> ${asked}\nexec ${real} "$@"\n`, { mode: 0o755 })
  const calls = async () => {
    const text = await readFile(asked, 'utf8')
    await rm(asked)
    return text
  }
  expect(await buffer((await files().open(site, 'h/large')).open())).toEqual(large)
  expect(await calls()).toBe('x\n')
  await buffer(await files().pack(site, ['h']))
  expect(await calls()).toBe('x\n')
  await rename(real, program)
})

test('a copy that was not read whole is none', { timeout: 120_000 }, async () => {
  await writeFile(www('h', 'page.html'), 'x')
  // As tar ends when a file cannot be read.
  const tar = join(t.root, 'bin/tar')
  await writeFile(tar, '#!/bin/sh\nPATH=/usr/bin:/bin tar "$@" || exit\ncase $* in *-cf*) exit 2 ;; esac\n', {
    mode: 0o755,
  })
  await expect(files().copy(site, 'h', 'half')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(buffer(await files().pack(site, ['h']))).rejects.toThrow()
  await rm(tar)
  expect(await readdir(www())).not.toContain('half')
  expect(await readdir(beside('sent'))).toEqual([])
})

test('a folder of the site that is a link is none', { timeout: 120_000 }, async () => {
  const app = www('..')
  execFileSync('mv', [www(), join(app, 'kept')])
  await symlink(outside, join(app, 'htdocs'))
  for (const work of [
    () => files().list(site, ''),
    () => files().read(site, 'secret'),
    () => files().write(site, 'new', 'x', null),
    () => files().remove(site, ['secret']),
  ])
    await expect(work()).rejects.toThrow()
  await rm(join(app, 'htdocs'))
  execFileSync('mv', [join(app, 'kept'), www()])
  expect(await readdir(outside)).toEqual(['secret'])
})

test('names can be anything', { timeout: 300_000 }, async () => {
  const odd = [
    'new\nline',
    '"quotes"',
    "it's",
    '-rf',
    '$(id)',
    '`id`',
    '%2e',
    'a\\012b',
    '*',
    '~',
    ' end ',
    'tab\tx',
    '\n',
  ]
  for (const name of odd) await writeFile(www('h', name), name)
  await writeFile(Buffer.concat([Buffer.from(`${www('h')}/`), Buffer.from([0xff, 0xfe])]), 'x')
  const { entries } = await files().list(site, 'h')
  const names = entries.filter(({ kind }) => kind === 'file').map(({ name }) => name)
  expect(names.toSorted()).toEqual(odd.toSorted())
  expect(entries.filter(({ kind }) => kind === 'other')).toHaveLength(1)
  for (const name of odd) expect((await files().read(site, `h/${name}`)).content).toBe(name)
  const { id } = await files().remove(
    site,
    odd.map((name) => `h/${name}`),
  )
  expect((await files().trash(site))[0]?.paths).toEqual(odd.map((name) => `h/${name}`))
  await files().restore(site, id)
  await files().move(
    site,
    odd.map((name, index) => ({ from: `h/${name}`, to: `h/plain-${index}` })),
  )
  expect(await readFile(www('h', 'plain-0'), 'utf8')).toBe(odd[0])
})

test('an archive of a folder has whatever is in it', { timeout: 300_000 }, async () => {
  const odd = Buffer.from([...Array.from({ length: 200 }, () => 0xe9), 0x2e, 0x74])
  await writeFile(Buffer.concat([Buffer.from(`${www('h')}/`), odd]), 'no text')
  const deep = Array.from({ length: 110 }, () => 'd').join('/')
  await mkdir(www('h', deep), { recursive: true })
  await writeFile(www('h', deep, 'deep.txt'), 'deep')
  const packed = await buffer(await files().pack(site, ['h']))
  for (const name of [odd, Buffer.from(`h/${deep}/deep.txt`)]) expect(packed.includes(name)).toBe(true)
  // The folder of the archive is at its end only if it is whole.
  expect(packed.readUInt32LE(packed.length - 22)).toBe(0x06054b50)
})

test('a shell reads back each path as it was', () => {
  const path = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((text) => !text.includes('\0'))
  const script = 'value=$(printf "%b." "$1"); value=${value%.}; printf %s "$value"'
  fc.assert(
    fc.property(fc.oneof(path, fc.stringMatching(/^[\\0-9nabc\n\t'"$`%!-]{1,40}$/)), (text) => {
      const whole = text.toWellFormed()
      const line = encodedPath(whole)
      expect(line).not.toMatch(/[\n\t]/)
      expect(decodedPath(line)).toBe(whole)
      expect(execFileSync('sh', ['-c', script, 'sh', line], { encoding: 'utf8' })).toBe(whole)
    }),
    { numRuns: 200 },
  )
})

test('what is refused is named, wherever it is', { timeout: 300_000 }, async () => {
  for (const name of ['a', 'b', 'u']) await mkdir(www('h', name))
  const { version } = await files().write(site, 'h/a/one', '1', null)
  await files().write(site, 'h/b/two', '2', null)
  const { id } = await files().remove(site, ['h/a/one', 'h/b/two'])
  await files().write(site, 'h/b/two', 'in the way', null)
  const restore = () => files().restore(site, id)
  await expect(restore()).rejects.toThrow('h/b/two exists already.')
  await rm(www('h', 'b'), { recursive: true })
  await writeFile(www('h', 'b'), 'a file now')
  await expect(restore()).rejects.toThrow('h/b exists already.')
  await rm(www('h', 'b'))
  // Whichever comes second finds nothing, before it begins or after.
  const ends = await Promise.allSettled([restore(), restore()])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))).toEqual([
    expect.stringContaining('no longer in the trash'),
  ])
  expect(await files().read(site, 'h/a/one')).toMatchObject({ content: '1', version })

  await symlink('one', www('h', 'a', 'link'))
  await expect(files().read(site, 'h/a/link')).rejects.toThrow('h/a/link is a link')
  await expect(files().copy(site, 'h/a/link', 'h/copy')).rejects.toThrow('h/a/link is a link')
  const archive = join(t.root, 'f.zip')
  await writeFile(archive, makeZip([{ name: 'f', content: Buffer.from('unpacked') }]))
  await files().put(site, 'h/f.zip', archive, false)
  await files().write(site, 'h/u/f', 'before', null)
  const options = { into: 'h/u', replace: true, operationId: 'op-named', signal: AbortSignal.timeout(300_000) }
  await files().unpack(site, 'h/f.zip', options)
  await rm(www('h', 'u'), { recursive: true })
  await writeFile(www('h', 'u'), 'a file now')
  await expect(files().undoUnpack(site, 'op-named')).rejects.toThrow('h/u exists already.')
})

test(
  'a huge folder comes in parts, and what is deleted is out of reach of the site',
  { timeout: 120_000 },
  async () => {
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => writeFile(www('h', `f${index}`), '')))
    const first = await files().list(site, 'h')
    expect([first.entries.length, first.total, first.next]).toEqual([1_000, 1_200, 1_000])
    expect((await files().list(site, 'h', 1_000)).entries.at(-1)?.name).toBe('f1199')
    await files().remove(site, ['h'])
    expect(execFileSync('find', [`${www('..')}/`, '-name', 'f1199'], { encoding: 'utf8' })).toBe('')
    await files().emptyTrash(site)
  },
)
