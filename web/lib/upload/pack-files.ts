/** Bytes of the records of a ZIP archive (APPNOTE 4.3.7, 4.3.12, 4.3.16). */
const sizes = { local: 30, central: 46, end: 22 } as const
/** Names are UTF-8. */
const utf8Flag = 0x800

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum >>> 0
})

/** CRC-32 of a file, which is read in pieces. Rejects with the signal's reason, or if the file can't be read. */
async function checksumOf(file: Blob, signal: AbortSignal): Promise<number> {
  let sum = 0xffffffff
  const reader = file.stream().getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    signal.throwIfAborted()
    for (const byte of piece.value) sum = (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8)
  }
  return (sum ^ 0xffffffff) >>> 0
}

/**
 * Puts files into one ZIP archive as they are. The archive refers to the files on the disk, so that it takes no memory; they
 * must be smaller than 4 GB together. Rejects with the signal's reason, or if a file can't be read.
 */
export async function packFiles(files: readonly File[], name: string, signal: AbortSignal): Promise<File> {
  const parts: BlobPart[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const file of files) {
    const path = new TextEncoder().encode(file.name)
    const sum = await checksumOf(file, signal)
    const local = new Uint8Array(sizes.local + path.length)
    writeFields(local, 0, [
      ...[
        [4, 0x04034b50],
        [2, 20],
        [2, utf8Flag],
        [2, 0],
        [4, 0],
        [4, sum],
      ],
      ...[
        [4, file.size],
        [4, file.size],
        [2, path.length],
        [2, 0],
      ],
    ])
    local.set(path, sizes.local)
    const central = new Uint8Array(sizes.central + path.length)
    writeFields(central, 0, [
      ...[
        [4, 0x02014b50],
        [2, 20],
        [2, 20],
        [2, utf8Flag],
        [2, 0],
        [4, 0],
        [4, sum],
      ],
      ...[
        [4, file.size],
        [4, file.size],
        [2, path.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
        [4, offset],
      ],
    ])
    central.set(path, sizes.central)
    parts.push(local, file)
    directory.push(central)
    offset += local.length + file.size
  }
  const end = new Uint8Array(sizes.end)
  const bytes = directory.reduce((total, { length }) => total + length, 0)
  writeFields(end, 0, [
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, bytes],
    [4, offset],
    [2, 0],
  ])
  return new File([...parts, ...directory, end], name, { type: 'application/zip' })
}

/** Numbers of 2 or 4 bytes one after the other, the lowest byte first. */
function writeFields(bytes: Uint8Array, at: number, fields: readonly (readonly number[])[]): void {
  const view = new DataView(bytes.buffer)
  for (const [length = 2, value = 0] of fields) {
    if (length === 4) view.setUint32(at, value, true)
    else view.setUint16(at, value, true)
    at += length
  }
}
