import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import type { Keyring } from '#server/platform/secrets/keyring.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { readTar, type TarHeader, type TarSink } from '#server/platform/files/tar.ts'
import { archiveFormat } from './format.ts'
import { openFrames, sealFrames } from './frames.ts'
import { damagedArchive } from './archive-errors.ts'

const magic = Buffer.from('EASYDASH EXPORT\n')
const saltBytes = 16
const headBytes = magic.length + 1 + 4 + saltBytes

/** Plaintext header before the frames. */
interface Head {
  /** Version of the key in the ring. */
  readonly keyVersion: number
  /** The whole header; every byte is part of the derivation of the frames' key. */
  readonly bytes: Buffer
}

const keyFor = (ring: Keyring, { keyVersion, bytes }: Head): Buffer => ring.derive(keyVersion, 'easydash export', bytes)

function newHead(ring: Keyring): Head {
  const version = Buffer.alloc(5)
  version.writeUInt8(archiveFormat)
  version.writeUInt32BE(ring.current, 1)
  return { keyVersion: ring.current, bytes: Buffer.concat([magic, version, randomBytes(saltBytes)]) }
}

/**
 * Writes an archive around a tar stream: encrypted with the ring's newest key, readable by this user only, and renamed to
 * its final name once it is fully on disk. Returns its size in bytes.
 */
export async function writeArchive(
  path: string,
  ring: Keyring,
  tar: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<number> {
  const temporary = `${path}.part`
  const head = newHead(ring)
  try {
    // A new file: an existing one is left over from a killed export, or a trap set by somebody else.
    await rm(temporary, { force: true })
    const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600 })
    await pipeline(
      Readable.from(tar, { objectMode: false }),
      createZstdCompress(),
      async function* (packed: AsyncIterable<Buffer>) {
        yield head.bytes
        yield* sealFrames(keyFor(ring, head), packed)
      },
      target,
      { signal },
    )
    const file = await open(temporary, 'r+')
    await file.sync()
    await file.close()
    await rename(temporary, path)
    return (await stat(path)).size
  } catch (error) {
    // If it can't be removed it isn't ours; report why nothing was written.
    await rm(temporary, { force: true }).catch(() => undefined)
    throw explained(error, path)
  }
}

function explained(error: unknown, path: string): unknown {
  const code = systemErrorCode(error)
  const isFull = isOfFullDisk(error)
  if (!isFull && !['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(code)) return error
  const reason = isFull ? 'the disk is full' : code
  return new StartupError(
    `The archive ${path} cannot be written: ${reason}.`,
    'Choose a folder with enough free space that you can write to.',
    error,
  )
}

/** Reads the header. Throws `StartupError` if the file is not an archive, or if its key is not in the ring. */
async function readHead(path: string, ring: Keyring): Promise<Head> {
  const bytes = Buffer.alloc(headBytes)
  let size: number
  try {
    const file = await open(path, 'r')
    try {
      size = (await file.read(bytes, 0, headBytes, 0)).bytesRead
    } finally {
      await file.close()
    }
  } catch (error) {
    throw new StartupError(
      `The archive ${path} cannot be read (${systemErrorCode(error)}).`,
      'Check the name and its permissions.',
      error,
    )
  }
  if (size < headBytes || !bytes.subarray(0, magic.length).equals(magic))
    throw new StartupError(`${path} is no archive of Easydash.`, 'Name a file that "export" made.')
  const format = bytes.readUInt8(magic.length)
  if (format !== archiveFormat)
    throw new StartupError(
      `The archive has format ${format}; this release knows format ${archiveFormat}.`,
      'Import it with the release that made it.',
    )
  const keyVersion = bytes.readUInt32BE(magic.length + 1)
  if (!ring.versions.includes(keyVersion))
    throw new StartupError(
      `The archive needs the secret key v${keyVersion} of the installation it comes from.`,
      'Put the file "keys" of that installation into the data folder, or its EASYDASH_SECRET_KEYS into the settings.',
    )
  return { keyVersion, bytes }
}

/**
 * Reads an archive from start to end, holding at most one frame in memory, and calls `onMember` for each member in order.
 * Throws `StartupError` if it is incomplete, was changed, or was made with other keys.
 */
export async function readArchive(
  path: string,
  ring: Keyring,
  onMember: (header: TarHeader) => Promise<TarSink | null>,
  signal: AbortSignal,
): Promise<void> {
  const head = await readHead(path, ring)
  const key = keyFor(ring, head)
  await assertKey(path, key)
  try {
    await pipeline(
      createReadStream(path, { start: headBytes, highWaterMark: 1024 * 1024 }),
      (sealed: AsyncIterable<Buffer>) => openFrames(key, sealed),
      unzstd(),
      // Reads to the end of the stream, not of the tar in it: only the last frame proves that nothing is missing.
      (plain: AsyncIterable<Buffer>) => readTar(plain, onMember),
      { signal },
    )
  } catch (error) {
    throw /^(?:ZSTD_|Z_)/.test(systemErrorCode(error)) || /tar archive/.test(String(error))
      ? damagedArchive(error)
      : error
  }
}

/** Distinguishes wrong keys from a damaged archive: with wrong keys even the first frame fails to decrypt. */
async function assertKey(path: string, key: Buffer): Promise<void> {
  const source = createReadStream(path, { start: headBytes })
  try {
    await openFrames(key, source).next()
  } catch (error) {
    if (!(error instanceof StartupError) || error.cause === undefined) throw error
    throw new StartupError(
      'The archive cannot be opened: it was made with other secret keys, or it was changed after it was made.',
      'Put the file "keys" of the installation it comes from into the data folder, or its EASYDASH_SECRET_KEYS into the settings.',
      error,
    )
  } finally {
    source.destroy()
  }
}
