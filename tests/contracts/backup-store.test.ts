import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { folderStore } from '#server/features/sites/backups/backup-store.ts'
import { partOf, type SendPart } from '#server/platform/network/sent-parts.ts'
import { newObject } from '#server/providers/simulator/bucket-objects.ts'
import { backupStoreContract } from './backup-store.contract.ts'
import { openBucketUnderTest, type BucketUnderTest } from './bucket-under-test.ts'

backupStoreContract('folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-store-'))
  return {
    store: folderStore(folder),
    held: async () => (await readdir(folder)).length,
    cut: async (name) => truncate(join(folder, `${name}.tar.zst.age`), 4),
    close: () => rm(folder, { recursive: true }),
  }
})
backupStoreContract('bucket', () => openBucketUnderTest())

describe('a bucket', () => {
  let t: BucketUnderTest | undefined
  afterEach(async () => {
    await t?.close()
    t = undefined
  })
  const archive = { name: 'b1b1b1b1b1', site_domain: 'blog.acme.example' }
  const key = 'easydash/acme/blog.acme.example/b1b1b1b1b1.tar.zst.age'
  const never = new AbortController().signal
  /** Two parts. */
  const large = Buffer.alloc(17 * 1024 * 1024, 'easydash')
  const write = ({ store }: BucketUnderTest, content = Buffer.from('archive'), signal = never) =>
    store.write(archive, Readable.from([content]), signal)

  test('gets large archives in parts, which it shows under the name of the site', async () => {
    t = await openBucketUnderTest()
    expect(await write(t, large)).toBe(large.length)
    expect([...t.state.objects.keys()]).toEqual([key])
    expect(t.server.seen.filter(({ path }) => path.includes('partNumber'))).toHaveLength(2)
    expect((await buffer(await t.store.read(archive))).equals(large)).toBe(true)
  })

  test('keeps no part of an upload that was cut, and what a killed process left is found', async () => {
    t = await openBucketUnderTest()
    const cancel = new AbortController()
    t.faults.push({ kind: 'hang', on: `PUT /backups/${key}`, times: 2 })
    const hanging = t.server.whenHanging()
    const writing = write(t, large, cancel.signal)
    await hanging
    expect(t.state.uploads.size).toBe(1)
    cancel.abort(new Error('Canceled'))
    await expect(writing).rejects.toThrow('Canceled')
    expect([t.state.uploads.size, t.state.objects.size]).toEqual([0, 0])
    t.state.uploads.set('left', { key, at: Date.now() - 60_000, parts: new Map() })
    t.state.uploads.set('other', { key: 'easydash/globex/a/b.tar.zst.age', at: 0, parts: new Map() })
    expect(await t.store.removeUnfinished(Date.now() - 90_000)).toBe(0)
    expect(await t.store.removeUnfinished(Date.now())).toBe(1)
    expect([...t.state.uploads.keys()]).toEqual(['other'])
  })

  test('goes on with an upload whose process was stopped, if it is still there, and sends no part again that is as it should be', async () => {
    t = await openBucketUnderTest({ pageLimit: 1 })
    const { state, store } = t
    const contents = ['a', 'b', 'c', 'd'].map((fill) => Buffer.alloc(5 * 1024 * 1024, fill))
    const sent: number[] = []
    let begun: string | null = null
    const found: number[] = []
    /** Stops before a part, as when the process ends or somebody cancels. */
    const receive = async (stop: { before?: number; stays?: boolean } = {}) => {
      const ending = new AbortController()
      const send: SendPart = async (_part, { number, url, headers }) => {
        if (number === stop.before) ending.abort(new Error('Stopped'))
        ending.signal.throwIfAborted()
        sent.push(number)
        const body = new Uint8Array(contents[number - 1] ?? [])
        return (await fetch(url, { method: 'PUT', headers, body })).headers.get('etag') ?? ''
      }
      const upload = {
        begun,
        keep: (name: string) => void (begun = name),
        found: (parts: number) => void found.push(parts),
        staysFor: () => stop.stays === true,
      }
      return store.direct?.receive(archive, { parts: contents.map(partOf), send, upload }, ending.signal)
    }
    const bytes = contents.length * 5 * 1024 * 1024
    const stored = () => state.objects.get(key)?.content.equals(Buffer.concat(contents))

    await expect(receive({ before: 4, stays: true })).rejects.toThrow('Stopped')
    const [open] = state.uploads.values()
    expect([...(open?.parts.keys() ?? [])]).toEqual([1, 2, 3])
    // Of another archive, and half of one: both are no part of this one.
    open?.parts.set(2, newObject(Buffer.alloc(5 * 1024 * 1024, 'x'), 0))
    open?.parts.set(3, newObject(Buffer.alloc(5, 'c'), 0))
    expect(await receive()).toBe(bytes)
    expect([sent.splice(0), found.splice(0), stored()]).toEqual([[1, 2, 3, 2, 3, 4], [1], true])

    // What is known of it is that of the upload that was completed.
    expect(await receive()).toBe(bytes)
    expect([sent.splice(0), found, stored()]).toEqual([[1, 2, 3, 4], [], true])
    await expect(receive({ before: 3 })).rejects.toThrow('Stopped')
    expect([state.uploads.size, state.objects.size]).toEqual([0, 0])
  })

  test('repeats what failed for a moment, and nothing more', async () => {
    t = await openBucketUnderTest()
    t.faults.push({ kind: 'server_error', on: 'PUT' }, { kind: 'lose_answer', on: 'GET' })
    await write(t)
    expect((await buffer(await t.store.read(archive))).toString()).toBe('archive')
    t.faults.push({ kind: 'server_error', on: 'PUT', times: 9 })
    await expect(write(t)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(t.faults).toMatchObject([{ times: 6 }])
  })

  test('does not pass for complete if what it has is not what was sent', async () => {
    t = await openBucketUnderTest()
    for (const content of [Buffer.from('archive'), large]) {
      t.faults.push({ kind: 'fail_later', on: 'PUT' })
      await expect(write(t, content)).rejects.toMatchObject({ code: 'unavailable' })
      expect([t.state.uploads.size, t.state.objects.size]).toEqual([0, 0])
    }
  })

  test('goes on reading after a break, but not in another object', async () => {
    t = await openBucketUnderTest()
    await write(t, large)
    const open = await t.store.read(archive)
    const found: Buffer[] = []
    let isReplaced = false
    for await (const chunk of open as AsyncIterable<Buffer>) {
      if (found.length === 0) t.server.dropConnections()
      found.push(chunk)
    }
    expect(Buffer.concat(found).equals(large)).toBe(true)
    await expect(async () => {
      for await (const _ of await (t as BucketUnderTest).store.read(archive)) {
        if (isReplaced) continue
        isReplaced = true
        t?.state.objects.set(key, newObject(Buffer.alloc(large.length), 0))
        t?.server.dropConnections()
      }
    }).rejects.toMatchObject({ code: expect.any(String) as string })
  })

  test('lists 1,500 archives, and nothing that is none', async () => {
    t = await openBucketUnderTest()
    const one = newObject(Buffer.from('1'), Date.now())
    for (let at = 0; at < 1_500; at += 1)
      t.state.objects.set(`easydash/acme/blog/${String(at).padStart(10, 'a')}.tar.zst.age`, one)
    for (const other of ['easydash/acme/blog/readme.txt', 'easydash/globex/a/bbbbbbbbbb.tar.zst.age', 'photo.jpg'])
      t.state.objects.set(other, one)
    const names = new Set<string>()
    for await (const { name } of t.store.list()) names.add(name)
    expect(names.size).toBe(1_500)
  })

  test('is not reached where organizations may not connect to', async () => {
    t = await openBucketUnderTest()
    for (const endpoint of [t.server.url, 'https://127.0.0.1', 'https://169.254.169.254', 'https://localhost']) {
      const store = t.opened({ endpoint }, { profile: 'tenant' })
      await expect(store.read(archive)).rejects.toMatchObject({ code: 'invalid' })
      await expect(store.write(archive, Readable.from([Buffer.from('a')]), never)).rejects.toMatchObject({
        code: 'invalid',
      })
    }
    expect(t.server.seen).toEqual([])
  })

  test('says in words why it refuses', async () => {
    t = await openBucketUnderTest({
      keys: [
        { accessKey: 'AKIASIMULATED0000000', secretKey: 'simulated-secret-key' },
        { accessKey: 'AKIANARROW', secretKey: 'narrow', rights: ['read', 'list'] },
      ],
    })
    const writing = (address: object) =>
      (t as BucketUnderTest)
        .opened(address)
        .write(archive, Readable.from([Buffer.from('a')]), never)
        .then(String, (error: Error) => error.message)
    expect(await writing({ secretKey: 'wrong' })).toMatch(/does not accept the key/)
    expect(await writing({ accessKey: 'AKIAUNKNOWN' })).toMatch(/does not accept the key/)
    expect(await writing({ accessKey: 'AKIANARROW', secretKey: 'narrow' })).toMatch(/can’t write objects/)
    expect(await writing({ name: 'elsewhere' })).toMatch(/no bucket of this name/)
    expect(await writing({ region: 'us-west-2' })).toMatch(/another region/)
    t.state.capacity = 0
    expect(await writing({})).toMatch(/no room left/)
    t.state.capacity = 100
    await write(t)
    t.state.isLocked = true
    await expect(t.store.remove(archive)).rejects.toMatchObject({ kind: 'wrong_scope', retryable: false })
    expect(t.state.objects.size).toBe(1)
  })
})
