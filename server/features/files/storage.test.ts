import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { contentType, typeOfEnding } from './content-type.ts'
import { cleanFileName } from './file-name.ts'
import { createStorage, storedNamePattern } from './storage.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

test('a content is kept whole under a random name, with its hash', async () => {
  const storage = createStorage(folder)
  const received = await storage.receive(chunks('a', 'b', 'c'), 3)
  expect(received).toMatchObject({
    size: 3,
    hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  })
  const name = await received.keep()
  expect(name).toMatch(storedNamePattern)
  await received.discard()
  const { size, open } = await storage.read(name)
  expect([size, (await open().toArray()).join('')]).toEqual([3, 'abc'])
  const copy = await storage.copy(name)
  await storage.remove(name)
  await expect(storage.read(name)).rejects.toMatchObject({ code: 'not_found' })
  expect((await storage.read(copy)).size).toBe(3)
})

test('too large a content is read to its end and leaves nothing', async () => {
  const storage = createStorage(folder)
  let given = 0
  const source = async function* () {
    for (; given < 5; given += 1) yield Buffer.from('xx')
  }
  await expect(storage.receive(source(), 3)).rejects.toMatchObject({ code: 'too_large', field: 'file' })
  expect(given).toBe(5)
  const failing = async function* () {
    yield Buffer.from('x')
    throw new Error('cut')
  }
  await expect(storage.receive(failing(), 3)).rejects.toThrow('cut')
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

test('only stored names reach the disk', async () => {
  const storage = createStorage(folder)
  for (const name of ['../keys', 'a'.repeat(40), `${'a'.repeat(40)}.png/../x`, `${'g'.repeat(40)}.png`]) {
    await expect(storage.read(name)).rejects.toMatchObject({ code: 'not_found' })
    expect(() => storage.remove(name)).toThrow()
  }
})

test('the sweep removes old unreferenced contents, and only those', async () => {
  let now = Date.now()
  const storage = createStorage(folder, () => now)
  const keep = async (text: string) => (await storage.receive(chunks(text), 9)).keep()
  const [known, orphan] = [await keep('known'), await keep('orphan')]
  await storage.receive(chunks('unfinished'), 99)
  const known_ = (names: readonly string[]) => Promise.resolve(new Set(names.filter((name) => name === known)))
  expect(await storage.sweep(known_)).toBe(0)
  now += 3_700_000
  const young = await keep('young')
  const path = join(folder, young.slice(0, 2), young)
  await utimes(path, now / 1000, now / 1000)
  expect(await storage.sweep(known_)).toBe(2)
  await expect(storage.read(orphan)).rejects.toThrow()
  expect((await storage.read(known)).size).toBe(5)
  expect((await storage.read(young)).size).toBe(5)
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

test('types come from the content', () => {
  const heads: [Buffer | string, string][] = [
    [Buffer.from('\x89PNG\r\n\x1a\n<script>', 'latin1'), 'PNG'],
    [Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'JPEG'],
    ['GIF89a', 'GIF'],
    ['RIFF....WEBPVP8 ', 'WEBP'],
    ['....ftypavif', 'AVIF'],
    ['%PDF-1.4', 'PDF'],
    ['PK\x03\x04', 'ZIP'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'TXT'],
    ['<!doctype html>', 'TXT'],
    ['GIF88a', 'TXT'],
    ['RIFF....WAVE', 'TXT'],
    [Buffer.from([0xef, 0xbb, 0xbf, 0x61]), 'TXT'],
    [Buffer.from([0x61, 0xff]), 'BIN'],
    ['a\0b', 'BIN'],
  ]
  for (const [head, label] of heads) {
    const type = contentType(Buffer.from(head as string))
    expect([head, type.label]).toEqual([head, label])
    expect(typeOfEnding(type.ending)).toEqual(type)
  }
  // The sample may end inside a character.
  expect(contentType(Buffer.from('ä').subarray(0, 1)).label).toBe('TXT')
  expect(typeOfEnding('html')).toMatchObject({ label: 'BIN' })
})

test('names for people: any text becomes a harmless one, once and for all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sent) => {
      const name = cleanFileName(sent)
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}]/u)
      expect(name).not.toMatch(/^\.*$/)
      expect([...name].length).toBeLessThanOrEqual(140)
      expect(name.isWellFormed()).toBe(true)
      expect(cleanFileName(name)).toBe(name)
    }),
    { numRuns: 1000 },
  )
})
