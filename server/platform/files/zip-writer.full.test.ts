import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { writeZip, type ZipContent } from './zip-writer.ts'

const modified = new Date('2026-05-04T10:20:30Z')

async function readBack(contents: Iterable<ZipContent>) {
  const archive = await buffer(Readable.from(writeZip(contents)))
  const zip = await fromBufferPromise(archive)
  const found: { name: string; content: Buffer; mode: number }[] = []
  for await (const entry of zip.eachEntry()) {
    const content = entry.fileName.endsWith('/')
      ? Buffer.alloc(0)
      : await buffer(await zip.openReadStreamPromise(entry))
    found.push({ name: entry.fileName, content, mode: entry.externalFileAttributes >>> 16 })
  }
  return found
}

it('is read back by another implementation, whatever is in it', async () => {
  const file = fc.record({ content: fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 4 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 8 }), async (files) => {
      const contents = files.map(({ content }, index) => ({
        name: Buffer.from(`Ordner/${index} ü.txt`),
        mode: 0o100644,
        modified,
        content: content.map((piece) => Buffer.from(piece)),
      }))
      expect(await readBack(contents)).toEqual(
        contents.map(({ name, content, mode }) => ({ name: name.toString(), content: Buffer.concat(content), mode })),
      )
    }),
    { numRuns: 30 },
  )
})

it('has folders, and more entries than the classic format counts', async () => {
  const contents = function* (): Generator<ZipContent> {
    for (let index = 0; index < 66_000; index += 1)
      yield { name: Buffer.from(`f${index}/`), mode: 0o040755, modified, content: [] }
  }
  expect(await readBack(contents())).toHaveLength(66_000)
})
