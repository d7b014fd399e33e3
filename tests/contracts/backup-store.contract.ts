import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BackupStore, StoredArchive } from '#server/features/sites/backups/backup-store.ts'

/** A store, and what only its test can do to it. */
export interface StoreUnderTest {
  readonly store: BackupStore
  /** What it holds, complete or not. */
  held(): Promise<number>
  /** Makes an archive shorter. */
  cut(name: string): Promise<void>
  close(): Promise<void>
}

const never = new AbortController().signal
let last = 0
const next = () => ({ name: `b${String((last += 1)).padStart(9, '0')}`, site_domain: 'blog.acme.example' })
const listed = async (store: BackupStore): Promise<StoredArchive[]> => {
  const all: StoredArchive[] = []
  for await (const archive of store.list()) all.push(archive)
  return all
}
async function* brokenAfter(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
  throw new Error('The source broke')
}

/** What every store of backups does. */
export function backupStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store in a ${name}`, () => {
    let t: StoreUnderTest
    beforeAll(async () => {
      t = await open()
    })
    afterAll(async () => {
      await t?.close()
    })

    test('gives back what was stored, lists it, and removes it', async () => {
      const archive = next()
      const content = Buffer.from('An archive ✓')
      expect(await t.store.write(archive, Readable.from([content]), never)).toBe(content.length)
      expect(await buffer(await t.store.read(archive))).toEqual(content)
      const [found] = await listed(t.store)
      expect(found).toMatchObject({ name: archive.name, bytes: content.length })
      expect(Math.abs((found?.at ?? 0) - Date.now())).toBeLessThan(600_000)
      await t.store.remove(archive)
      await t.store.remove(archive)
      expect(await listed(t.store)).toEqual([])
      await expect(t.store.read(archive)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('stores nothing of content that breaks off or is canceled', async () => {
      const archive = next()
      const before = await t.held()
      const source = Readable.from(brokenAfter(Buffer.alloc(100)), { objectMode: false })
      await expect(t.store.write(archive, source, never)).rejects.toThrow('The source broke')
      const cancel = new AbortController()
      const endless = new Readable({ read: () => undefined })
      endless.push(Buffer.alloc(100))
      const writing = t.store.write(archive, endless, cancel.signal)
      cancel.abort(new Error('Canceled'))
      await expect(writing).rejects.toThrow()
      expect(await t.held()).toBe(before)
      await expect(t.store.read(archive)).rejects.toMatchObject({ code: 'not_found' })
    })

    test('replaces what an earlier attempt stored', async () => {
      const archive = next()
      for (const text of ['first', 'second']) await t.store.write(archive, Readable.from([Buffer.from(text)]), never)
      expect((await buffer(await t.store.read(archive))).toString()).toBe('second')
      await t.store.remove(archive)
    })

    test('gives back a shortened archive as it is, for its checksum to tell', async () => {
      const archive = next()
      await t.store.write(archive, Readable.from([Buffer.from('complete')]), never)
      await t.cut(archive.name)
      expect((await buffer(await t.store.read(archive))).toString()).toBe('comp')
      await t.store.remove(archive)
    })

    test('does not take what is no name of a backup', async () => {
      const wrong = { name: '../../etc/a', site_domain: null }
      await expect((async () => t.store.read(wrong))()).rejects.toThrow('Not a backup')
    })
  })
}
