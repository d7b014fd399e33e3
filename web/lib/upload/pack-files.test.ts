/// <reference types="node" />
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { packFiles } from './pack-files.ts'
import { zipNames } from './zip-names.ts'

const never = new AbortController().signal

/** Content and checksum of each file, as another reader of ZIP archives finds them. */
async function unpacked(archive: Blob): Promise<Record<string, { content: Buffer; sum: number }>> {
  const zip = await fromBufferPromise(Buffer.from(await archive.arrayBuffer()))
  const found: Record<string, { content: Buffer; sum: number }> = {}
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) chunks.push(chunk)
    found[String(entry.fileName)] = { content: Buffer.concat(chunks), sum: entry.crc32 }
  }
  return found
}

test('packed files are a ZIP archive that others read', async () => {
  const name = fc.stringMatching(/^[a-zäß]{1,20}\.zip$/)
  const file = fc.record({ name, bytes: fc.uint8Array({ maxLength: 5_000 }) })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(file, { maxLength: 8, selector: (one) => one.name }), async (files) => {
      const packed = await packFiles(
        files.map((one) => new File([new Uint8Array(one.bytes)], one.name)),
        'set.zip',
        never,
      )
      const found = await unpacked(packed)
      expect(Object.keys(found)).toEqual(files.map((one) => one.name))
      for (const { name: path, bytes } of files)
        expect(found[path]).toEqual({ content: Buffer.from(bytes), sum: crc32(bytes) })
      expect(await zipNames(packed)).toEqual(files.map((one) => one.name))
    }),
    { numRuns: 40 },
  )
})

test('packing ends when it is canceled', async () => {
  await expect(packFiles([new File(['x'], 'a')], 'set.zip', AbortSignal.abort(new Error('canceled')))).rejects.toThrow(
    'canceled',
  )
})

test('names of anything but an archive are none, whatever it says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 18 }), async (begin, end) => {
      const bytes = new Uint8Array([...begin, 0x50, 0x4b, 5, 6, ...end, ...new Uint8Array(18)])
      expect(Array.isArray(await zipNames(new Blob([bytes])))).toBe(true)
    }),
  )
  expect(await zipNames(new Blob(['text']))).toEqual([])
})
