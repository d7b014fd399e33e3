import fc from 'fast-check'
import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { expect, test } from 'vitest'
import { frameReader, limitFrames } from './limit-frames.ts'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

function frame(type: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  return Buffer.concat([head, payload])
}

test('reports each frame with its length, however the bytes are chunked', () => {
  const lengths = fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(256, 65_536)), { maxLength: 30 })
  fc.assert(
    fc.property(lengths, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sent, cuts) => {
      const bytes = Buffer.concat([preface, ...sent.map((length) => frame(0, Buffer.alloc(length, 7)))])
      const lengths: number[] = []
      const read = frameReader((length) => lengths.push(length))
      for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
        const piece = bytes.subarray(at, at + (cuts[cut % cuts.length] ?? 1))
        read(piece)
        at += piece.length
      }
      expect(lengths).toEqual(sent)
    }),
  )
})

test('bytes pass unchanged in both directions, and an end is an end', async () => {
  const [far, near] = duplexPair()
  const limited = limitFrames(near)
  const sent = Buffer.concat([preface, ...Array.from({ length: 200 }, () => frame(0, Buffer.alloc(16_384, 1)))])
  far.end(sent)
  const arrived: Buffer[] = []
  for await (const chunk of limited) arrived.push(chunk as Buffer)
  expect(Buffer.concat(arrived).equals(sent)).toBe(true)
  limited.end('answer')
  expect(String(Buffer.concat((await far.toArray()) as Buffer[]))).toBe('answer')
})

test('a second’s worth of small frames passes, more of them end the stream', async () => {
  const [far, near] = duplexPair()
  let time = 0
  const limited = limitFrames(near, () => time)
  limited.resume()
  const update = frame(8, Buffer.from([0, 0, 0, 1]))
  const send = (count: number) =>
    new Promise((resolve) => {
      far.write(Buffer.concat(Array<Buffer>(count).fill(update)), resolve)
    })
  far.write(preface)
  await send(39_000)
  time = 2_000
  await send(39_000)
  expect(limited.destroyed).toBe(false)
  const closed = once(near, 'close')
  far.write(Buffer.concat(Array<Buffer>(2_000).fill(update)))
  await closed
  expect(limited.destroyed).toBe(true)
})
