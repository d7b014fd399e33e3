import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { EngineError } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { fromBufferPromise } from 'yauzl'
import { can, needs, type TestedEngine } from './needs.ts'

/** The code of the EngineError that something is refused with. */
async function codeOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (error instanceof EngineError) return error.code
    throw error
  }
  return 'nothing'
}

/** What every engine does with the files of sites. */
export function describeSiteFiles(
  start: () => { engine: TestedEngine; html: SiteRef; wp: SiteRef; unknown: SiteRef },
): void {
  describe('files', () => {
    let engine: TestedEngine
    let html: SiteRef
    let wp: SiteRef
    let uploads: string
    const namesIn = async (site: SiteRef, folder = ''): Promise<string[]> =>
      (await engine.files.list(site, folder)).entries.map(({ name }) => name)
    const textOf = async (path: string): Promise<string | null> => (await engine.files.read(html, path)).content

    beforeAll(async () => {
      uploads = await mkdtemp(join(tmpdir(), 'uploads-'))
      ;({ engine, html, wp } = start())
      if (can(engine, 'files')) await engine.files.makeFolder(html, 'work')
    })
    afterAll(() => rm(uploads, { recursive: true, force: true }))

    needs(start, 'files')('lists a folder in parts, folders first', async () => {
      await engine.files.makeFolder(html, 'list')
      await engine.files.makeFolder(html, 'list/z')
      for (const name of ['b10.txt', 'b9.txt', 'ä “1” x']) await engine.files.write(html, `list/${name}`, name, null)
      const { entries, total, next } = await engine.files.list(html, 'list')
      expect(entries.map(({ name, kind, size }) => [name, kind, size > 0])).toEqual([
        ['z', 'folder', false],
        ['ä “1” x', 'file', true],
        ['b9.txt', 'file', true],
        ['b10.txt', 'file', true],
      ])
      expect([total, next]).toEqual([4, null])
      expect(await engine.files.list(html, 'list', 3)).toMatchObject({ entries: [{ name: 'b10.txt' }], next: null })
      expect(await codeOf(engine.files.list(html, 'list/b9.txt'))).toBe('not_found')
    })

    needs(start, 'files')('replaces a text only if it is still the one that was read', async () => {
      const first = await engine.files.write(html, 'work/a.txt', 'one', null)
      expect(await engine.files.read(html, 'work/a.txt')).toMatchObject({ content: 'one', size: 3, ...first })
      expect(await codeOf(engine.files.write(html, 'work/a.txt', 'other', null))).toBe('conflict')
      const second = await engine.files.write(html, 'work/a.txt', 'two', first.version)
      expect(await codeOf(engine.files.write(html, 'work/a.txt', 'late', first.version))).toBe('conflict')
      expect(await textOf('work/a.txt')).toBe('two')
      // Of two writers with the same version, one wins.
      const both = await Promise.allSettled(
        ['x', 'y'].map((text) => engine.files.write(html, 'work/a.txt', text, second.version)),
      )
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await codeOf(engine.files.write(html, 'work/gone.txt', 'x', second.version))).toBe('not_found')
      await engine.files.write(html, 'work/empty.txt', '', null)
      expect(await textOf('work/empty.txt')).toBe('')
    })

    needs(start, 'files')('does not show as text what is none, or is large', async () => {
      const put = async (path: string, content: Buffer) => {
        await writeFile(join(uploads, 'source'), content)
        return engine.files.put(html, path, join(uploads, 'source'), false)
      }
      await put('work/binary', Buffer.from([0xff, 0x00, 0x80]))
      await put('work/large.txt', Buffer.alloc(1_048_577, 'a'))
      for (const path of ['work/binary', 'work/large.txt'])
        expect(await engine.files.read(html, path)).toMatchObject({ content: null, version: null })
      expect(await codeOf(engine.files.write(html, 'work/too.txt', 'a'.repeat(1_048_577), null))).toBe('invalid')
    })

    needs(start, 'files')('moves, renames and copies without replacing anything', async () => {
      await engine.files.makeFolder(html, 'move')
      await engine.files.makeFolder(html, 'move/in')
      await engine.files.write(html, 'move/in/one', '1', null)
      await engine.files.write(html, 'move/two', '2', null)
      await engine.files.copy(html, 'move/in', 'move/copy')
      expect(await textOf('move/copy/one')).toBe('1')
      await engine.files.move(html, [{ from: 'move/two', to: 'move/in/two' }])
      expect(await namesIn(html, 'move')).toEqual(['copy', 'in'])
      for (const to of ['move/copy', 'move/in/deeper', 'move/in', 'elsewhere/in'])
        expect(['conflict', 'invalid', 'not_found']).toContain(
          await codeOf(engine.files.move(html, [{ from: 'move/in', to }])),
        )
      expect(await codeOf(engine.files.copy(html, 'move/in', 'move/in/itself'))).toBe('invalid')
      expect(await codeOf(engine.files.copy(html, 'move/in', 'move/copy'))).toBe('conflict')
      // Nothing moves if one of them can't.
      await codeOf(
        engine.files.move(html, [
          { from: 'move/in', to: 'move/new' },
          { from: 'move/missing', to: 'move/x' },
        ]),
      )
      expect(await namesIn(html, 'move')).toEqual(['copy', 'in'])
    })

    needs(start, 'files')('deletes into the trash and restores', async () => {
      await engine.files.makeFolder(html, 'bin')
      await engine.files.makeFolder(html, 'bin/a')
      await engine.files.write(html, 'bin/a/one', '1', null)
      await engine.files.write(html, 'bin/b', 'b', null)
      const { id } = await engine.files.remove(html, ['bin/a', 'bin/a/one', 'bin/b'])
      expect(await namesIn(html, 'bin')).toEqual([])
      expect((await engine.files.trash(html))[0]).toMatchObject({ id, paths: ['bin/a', 'bin/b'] })
      await engine.files.write(html, 'bin/b', 'in the way', null)
      expect(await codeOf(engine.files.restore(html, id))).toBe('conflict')
      await engine.files.remove(html, ['bin/b'])
      // Its folder is made again.
      await engine.files.remove(html, ['bin'])
      expect(await engine.files.restore(html, id)).toEqual({ paths: ['bin/a', 'bin/b'] })
      expect(await textOf('bin/a/one')).toBe('1')
      expect(await codeOf(engine.files.restore(html, id))).toBe('not_found')
      await engine.files.emptyTrash(html)
      expect(await engine.files.trash(html)).toEqual([])
      expect(await codeOf(engine.files.restore(html, '../../www'))).toBe('not_found')
    })

    needs(start, 'files')('takes uploads, and replaces only when told', async () => {
      const source = join(uploads, 'up')
      await writeFile(source, 'first')
      expect(await engine.files.put(html, 'up/deep/file', source, false)).toEqual({ trash: null })
      await writeFile(source, 'second')
      expect(await codeOf(engine.files.put(html, 'up/deep/file', source, false))).toBe('conflict')
      const { trash } = await engine.files.put(html, 'up/deep/file', source, true)
      expect(await textOf('up/deep/file')).toBe('second')
      await engine.files.remove(html, ['up/deep/file'])
      await engine.files.restore(html, trash ?? '')
      expect(await textOf('up/deep/file')).toBe('first')
      expect(await codeOf(engine.files.put(html, 'up/deep', source, true))).toBe('conflict')
    })

    needs(start, 'files')('downloads a file and parts of it', async () => {
      await engine.files.write(html, 'work/d.txt', '0123456789', null)
      const whole = await engine.files.open(html, 'work/d.txt')
      expect(whole.size).toBe(10)
      expect((await buffer(whole.open())).toString()).toBe('0123456789')
      const part = await engine.files.open(html, 'work/d.txt')
      expect((await buffer(part.open({ start: 2, end: 4 }))).toString()).toBe('234')
      expect(await codeOf(engine.files.open(html, 'work'))).toBe('not_found')
    })

    needs(start, 'files')('packs and unpacks', async () => {
      await engine.files.makeFolder(html, 'zip')
      await engine.files.makeFolder(html, 'zip/empty')
      await engine.files.write(html, 'zip/Grüße.txt', 'a'.repeat(100_000), null)
      const packed = await buffer(await engine.files.pack(html, ['zip', 'work/d.txt']))
      const zip = await fromBufferPromise(packed)
      const names: string[] = []
      for await (const entry of zip.eachEntry()) names.push(entry.fileName)
      expect(names.toSorted()).toEqual(['work/d.txt', 'zip/', 'zip/Grüße.txt', 'zip/empty/'])
      await writeFile(join(uploads, 'a.zip'), packed)
      await engine.files.put(html, 'a.zip', join(uploads, 'a.zip'), false)
      const told: number[] = []
      const options = { into: 'out', replace: false, signal: AbortSignal.timeout(300_000) }
      const onProgress = (done: number) => told.push(done)
      expect(await engine.files.unpack(html, 'a.zip', { ...options, onProgress })).toEqual({ files: 2 })
      expect(told.length).toBeGreaterThan(1)
      expect(told.at(-1)).toBe(1)
      expect(await textOf('out/zip/Grüße.txt')).toBe('a'.repeat(100_000))
      expect(await codeOf(engine.files.unpack(html, 'a.zip', options))).toBe('conflict')
      expect(await engine.files.unpack(html, 'a.zip', { ...options, replace: true })).toEqual({ files: 2 })
      expect(await codeOf(engine.files.pack(html, ['nothing']))).toBe('not_found')
    })

    needs(start, 'files')('packs into an archive of the site, which appears when it is complete', async () => {
      const once = { signal: AbortSignal.timeout(300_000) }
      const told: number[] = []
      await engine.files.makeFolder(html, 'pack')
      await engine.files.makeFolder(html, 'pack/in')
      await engine.files.write(html, 'pack/in/a.txt', 'packed', null)
      const { bytes } = await engine.files.packInto(html, ['pack/in', 'pack/in/a.txt'], 'pack/a.zip', {
        ...once,
        onProgress: (done) => told.push(done),
      })
      expect(told.at(-1)).toBe(1)
      const archive = await buffer((await engine.files.open(html, 'pack/a.zip')).open())
      expect(archive.length).toBe(bytes)
      const names: string[] = []
      for await (const entry of (await fromBufferPromise(archive)).eachEntry()) names.push(entry.fileName)
      expect(names).toEqual(['in/', 'in/a.txt'])
      expect(await codeOf(engine.files.packInto(html, ['pack/in'], 'pack/a.zip', once))).toBe('conflict')
      expect(await codeOf(engine.files.packInto(html, ['nothing'], 'pack/b.zip', once))).toBe('not_found')
      expect(await codeOf(engine.files.packInto(html, [], 'pack/b.zip', once))).toBe('invalid')
      for (const to of ['../b.zip', 'missing/b.zip', 'pack/a\nb', ''])
        expect(['invalid', 'not_found'], to).toContain(await codeOf(engine.files.packInto(html, ['pack/in'], to, once)))
      expect((await engine.files.list(html, 'pack')).entries.map(({ name }) => name)).toEqual(['in', 'a.zip'])
      await engine.files.remove(html, ['pack'])
    })

    needs(start, 'files')('takes back the archive that an operation made, and nothing else', async () => {
      const { files } = engine
      await files.makeFolder(html, 'taken')
      await files.write(html, 'taken/a.txt', 'packed', null)
      const namesIn = async () => (await files.list(html, 'taken')).entries.map(({ name }) => name)
      const options = { operationId: 'pack-one', signal: AbortSignal.timeout(300_000) }
      const pack = () => files.packInto(html, ['taken/a.txt'], 'taken/a.zip', options)
      expect(await pack()).toEqual(await pack())
      expect(await files.undoPack(html, 'taken/a.zip', 'pack-other')).toEqual({ left: false })
      expect(await namesIn()).toEqual(['a.txt', 'a.zip'])
      for (const _ of ['once', 'again'])
        expect(await files.undoPack(html, 'taken/a.zip', 'pack-one')).toEqual({ left: false })
      expect(await namesIn()).toEqual(['a.txt'])
      // Something else took its place meanwhile.
      await pack()
      await files.remove(html, ['taken/a.zip'])
      await files.write(html, 'taken/a.zip', 'of somebody else', null)
      for (const _ of ['once', 'again'])
        expect(await files.undoPack(html, 'taken/a.zip', 'pack-one')).toEqual({ left: true })
      expect(await textOf('taken/a.zip')).toBe('of somebody else')
      await files.remove(html, ['taken'])
    })

    needs(start, 'files')('puts back what an operation unpacked, until it is finished', async () => {
      const zip = makeZip(['d.txt', 'new/e.txt'].map((name) => ({ name, content: Buffer.from('unpacked') })))
      await writeFile(join(uploads, 'u.zip'), zip)
      await engine.files.put(html, 'u.zip', join(uploads, 'u.zip'), true)
      const before = await textOf('work/d.txt')
      const options = { into: 'work', replace: true, operationId: 'op-one', signal: AbortSignal.timeout(300_000) }
      expect(await engine.files.unpack(html, 'u.zip', options)).toEqual({ files: 2 })
      expect(await engine.files.unpack(html, 'u.zip', options)).toEqual({ files: 2 })
      expect(await textOf('work/d.txt')).toBe('unpacked')
      await engine.files.undoUnpack(html, 'op-other')
      expect(await textOf('work/new/e.txt')).toBe('unpacked')
      await engine.files.undoUnpack(html, 'op-one')
      await engine.files.undoUnpack(html, 'op-one')
      expect(await textOf('work/d.txt')).toBe(before)
      expect(await codeOf(engine.files.read(html, 'work/new/e.txt'))).toBe('not_found')
      await engine.files.unpack(html, 'u.zip', { ...options, into: 'other' })
      await engine.files.finishUnpack(html, 'op-one')
      await engine.files.finishUnpack(html, 'op-one')
      await engine.files.undoUnpack(html, 'op-one')
      expect(await textOf('other/d.txt')).toBe('unpacked')
    })

    needs(start, 'files')('unpacks an archive that is not in the site', async () => {
      const source = join(uploads, 'sent.zip')
      await writeFile(source, makeZip([{ name: 'in/f.txt', content: Buffer.from('sent') }]))
      const options = { source, into: 'sent', replace: true, operationId: 'op-sent' }
      const unpack = () => engine.files.unpack(html, '', { ...options, signal: AbortSignal.timeout(300_000) })
      expect(await unpack()).toEqual({ files: 1 })
      expect(await textOf('sent/in/f.txt')).toBe('sent')
      expect(await engine.files.undoUnpack(html, 'op-sent')).toEqual({ left: [], kept: true })
      expect(await codeOf(engine.files.read(html, 'sent/in/f.txt'))).toBe('not_found')
    })

    needs(start, 'files')('refuses hostile archives and names the entry', async () => {
      const content = Buffer.from('x')
      const hostile = {
        '../slip': makeZip([{ name: '../slip', content }]),
        '/absolute': makeZip([{ name: '/absolute', content }]),
        'a\\b': makeZip([{ name: 'a\\b', content }]),
        link: makeZip([{ name: 'link', content, mode: 0o120777 }]),
        bomb: makeZip([{ name: 'bomb', content: Buffer.alloc(20_000_000) }]),
        twice: makeZip([
          { name: 'twice', content },
          { name: 'twice', content },
        ]),
        'below/file': makeZip([
          { name: 'below', content },
          { name: 'below/file', content },
        ]),
      }
      for (const [name, archive] of Object.entries(hostile)) {
        await writeFile(join(uploads, 'h.zip'), archive)
        await engine.files.put(html, 'h.zip', join(uploads, 'h.zip'), true)
        const work = engine.files.unpack(html, 'h.zip', {
          into: 'hostile',
          replace: true,
          signal: AbortSignal.timeout(300_000),
        })
        await expect(work, name).rejects.toThrow(name)
      }
      expect(await namesIn(html)).not.toContain('hostile')
      expect(await namesIn(html)).not.toContain('slip')
    })

    needs(start, 'files')('refuses paths that are not plain', async () => {
      for (const path of ['../x', '/etc/passwd', 'a/../b', 'a//b', './a', 'a/', 'a\0b', 'n'.repeat(256)]) {
        expect(['invalid', 'not_found'], path).toContain(await codeOf(engine.files.read(html, path)))
        expect(await codeOf(engine.files.write(html, path, 'x', null)), path).toBe('invalid')
        expect(await codeOf(engine.files.remove(html, [path])), path).toBe('invalid')
      }
      for (const name of ['a\nb', '\u202Etxt.exe', ' ', 'back\\slash'])
        expect(await codeOf(engine.files.write(html, name, 'x', null)), name).toBe('invalid')
      for (const work of [
        () => engine.files.remove(html, ['']),
        () => engine.files.remove(html, []),
        () => engine.files.read(html, ''),
      ])
        expect(await codeOf(work)).toBe('invalid')
    })

    needs(start, 'files')('leaves the database of WordPress alone where it is among the files', async () => {
      if (!(await namesIn(wp, 'wp-content')).includes('database')) {
        // Then names like its own mean nothing.
        await engine.files.write(wp, 'wp-content/db.php', 'x', null)
        await engine.files.remove(wp, ['wp-content/db.php'])
        expect(await namesIn(wp, 'wp-content')).not.toContain('db.php')
        return
      }
      const source = join(uploads, 'db')
      await writeFile(source, 'x')
      const database = 'wp-content/database/.ht.sqlite'
      for (const work of [
        () => engine.files.write(wp, database, 'x', null),
        () => engine.files.write(wp, 'WP-Content/Database/new', 'x', null),
        () => engine.files.remove(wp, [database]),
        () => engine.files.remove(wp, ['wp-content']),
        () => engine.files.move(wp, [{ from: 'wp-content/database', to: 'elsewhere' }]),
        () => engine.files.put(wp, 'wp-content/db.php', source, true),
        () => engine.files.copy(wp, 'wp-config.php', 'wp-content/database/copy'),
      ])
        expect(await codeOf(work)).toBe('invalid')
      await writeFile(source, makeZip([{ name: 'database/.ht.sqlite', content: Buffer.from('x') }]))
      await engine.files.put(wp, 'wp-content/evil.zip', source, false)
      const unpacked = engine.files.unpack(wp, 'wp-content/evil.zip', {
        into: 'wp-content',
        replace: true,
        signal: AbortSignal.timeout(300_000),
      })
      expect(await codeOf(unpacked)).toBe('invalid')
    })

    needs(start, 'files')('has no files of a site that does not exist', async () => {
      const { unknown } = start()
      expect(await codeOf(engine.files.list(unknown, ''))).toBe('not_found')
    })

    needs(start, 'files')('what is written is served at once', async (context) => {
      if (engine.name === 'fake') context.skip('Fake sites do not answer with their files.')
      const { content, version } = await engine.files.read(html, 'index.html')
      await engine.files.write(html, 'index.html', `${content}<p>new</p>`, version)
      expect((await engine.request(html, '/')).body).toContain('<p>new</p>')
    })
  })
}
