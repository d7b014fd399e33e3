import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { frameBytes, openFrames, sealFrames } from './frames.ts'

const key = randomBytes(32)

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const sealed = async (content: Buffer) =>
  Buffer.concat(await Array.fromAsync(sealFrames(key, inPieces(content, 70_000))))
const opened = async (bytes: Buffer, by = key) =>
  Buffer.concat(await Array.fromAsync(openFrames(by, inPieces(bytes, 50_000))))

/** Bytes of a full frame in the encrypted stream. */
const full = 4 + frameBytes + 16

describe('frames', () => {
  it.each([0, 1, frameBytes - 1, frameBytes, frameBytes + 1, 2 * frameBytes, 2 * frameBytes + 7])(
    'give %i bytes back and show none of them',
    async (size) => {
      const content = randomBytes(size)
      const bytes = await sealed(content)
      expect((await opened(bytes)).equals(content)).toBe(true)
      if (size > 16) expect(bytes.includes(content.subarray(0, 16))).toBe(false)
    },
  )

  it('do not open with another key', async () => {
    await expect(opened(await sealed(Buffer.from('x')), randomBytes(32))).rejects.toThrow('damaged')
  })

  it('notice every cut, also between two frames', async () => {
    const bytes = await sealed(randomBytes(2 * frameBytes + 100))
    for (const length of [0, 3, 4, 19, full - 1, full, full + 2, 2 * full, bytes.length - 1])
      await expect(opened(bytes.subarray(0, length)), String(length)).rejects.toThrow('not whole')
  })

  it('notice changed, swapped, repeated, left out and added frames', async () => {
    const bytes = await sealed(randomBytes(2 * frameBytes + 100))
    const [a, b, c] = [bytes.subarray(0, full), bytes.subarray(full, 2 * full), bytes.subarray(2 * full)]
    const wrong = [[b, a, c], [a, a, b, c], [a, c], [b, c], [c], [a, b, c, c], [a, b, c, Buffer.from([0])]]
    for (const parts of wrong) await expect(opened(Buffer.concat(parts))).rejects.toThrow('damaged')
    for (const at of [0, 1, 3, 4, 100, full - 1, full, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      await expect(opened(changed), String(at)).rejects.toThrow(/damaged|not whole/)
    }
  })
})
