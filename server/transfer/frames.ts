import { createCipheriv, createDecipheriv } from 'node:crypto'
import { ByteSource } from './byte-source.ts'
import { truncatedArchive, damagedArchive } from './archive-errors.ts'

/** Content size of a frame in bytes; the last frame of a stream is smaller. */
export const frameBytes = 256 * 1024

const tagBytes = 16
const headBytes = 4
/** Highest bit of a frame's header: this is the last frame. */
const lastBit = 0x8000_0000

/** The nonce includes the frame's index and whether it is the last one, so no frame can be omitted, moved or added. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(index), 3)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

function sealFrame(key: Buffer, index: number, isLast: boolean, content: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index, isLast), { authTagLength: tagBytes })
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE((content.length | (isLast ? lastBit : 0)) >>> 0)
  cipher.setAAD(head)
  return Buffer.concat([head, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/**
 * Encrypts a stream in frames (AES-256-GCM, one key per stream), so that it can be decrypted without holding it in memory
 * and any change is detected before the changed data is used.
 */
export async function* sealFrames(key: Buffer, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let index = 0
  let waiting = Buffer.alloc(0)
  for await (const chunk of source) {
    waiting = Buffer.concat([waiting, chunk])
    let at = 0
    // The last frame is known only at the end, so the content of one frame is always held back.
    for (; waiting.length - at > frameBytes; at += frameBytes) {
      yield sealFrame(key, index, false, waiting.subarray(at, at + frameBytes))
      index += 1
    }
    waiting = waiting.subarray(at)
  }
  yield sealFrame(key, index, true, waiting)
}

/** Decrypts such a stream. Throws `StartupError` if it was changed or truncated, or if data follows its end. */
export async function* openFrames(key: Buffer, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bytes = new ByteSource(source)
  for (let index = 0; ; index += 1) {
    const head = await bytes.take(headBytes)
    if (head === null) throw truncatedArchive()
    const word = head.readUInt32BE()
    const isLast = (word & lastBit) !== 0
    const length = (word & ~lastBit) >>> 0
    if (length > frameBytes || (!isLast && length !== frameBytes)) throw damagedArchive()
    const sealed = await bytes.take(length + tagBytes)
    if (sealed === null) throw truncatedArchive()
    yield openFrame(key, nonceOf(index, isLast), head, sealed)
    if (!isLast) continue
    if ((await bytes.readUpTo(1)) !== null) throw damagedArchive()
    return
  }
}

function openFrame(key: Buffer, nonce: Buffer, head: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(head)
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const content = decipher.update(sealed.subarray(0, sealed.length - tagBytes))
  try {
    return Buffer.concat([content, decipher.final()])
  } catch (error) {
    throw damagedArchive(error)
  }
}
