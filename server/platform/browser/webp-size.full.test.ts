import { expect, test } from 'vitest'
import { webpSize } from './webp-size.ts'

/** A WebP file with these chunks. */
function webp(kind: string, body: readonly number[]): Buffer {
  const chunk = Buffer.alloc(8 + body.length + (body.length % 2))
  chunk.write(kind, 0, 'latin1')
  chunk.writeUInt32LE(body.length, 4)
  Buffer.from(body).copy(chunk, 8)
  const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), chunk])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

const lossless = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAv38FKACh1k4ve/wIAAA==', 'base64')
const lossy = webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0xe0, 0x01, 0x2c, 0x01, 0, 0])
const extended = webp('VP8X', [0, 0, 0, 0, 0xdf, 0x01, 0, 0x2b, 0x01, 0])

test('reads the size from the header of each format', () => {
  for (const file of [lossless, lossy, extended]) expect(webpSize(file)).toEqual({ width: 480, height: 300 })
})

test('rejects content that is not an image', () => {
  const changed = (file: Buffer, at: number, value: number) => {
    const copy = Buffer.from(file)
    copy[at] = value
    return copy
  }
  for (const file of [
    Buffer.alloc(0),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="480" height="300"></svg>'),
    lossless.subarray(0, -1),
    Buffer.concat([lossless, Buffer.from('more')]),
    changed(lossless, 20, 0),
    changed(lossy, 23, 0),
    webp(
      'XXXX',
      Array.from({ length: 20 }, () => 0),
    ),
  ])
    expect(webpSize(file)).toBeNull()
})
