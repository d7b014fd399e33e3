/** Bytes in which the end of a ZIP archive is looked for: its record, and the longest comment (APPNOTE 4.3.16). */
const endBytes = 22 + 65_535
/** Bytes of a directory that are read: enough for 100,000 files. */
const maxDirectoryBytes = 16 * 1_048_576

/** Names in a ZIP archive as its directory has them, as far as they can be read; nothing else is read. */
export async function zipNames(file: Blob): Promise<string[]> {
  const tail = await viewOf(file.slice(Math.max(0, file.size - endBytes)))
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== 0x06054b50) continue
    const [bytes, start] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)]
    if (start + bytes > file.size) return []
    return namesIn(await viewOf(file.slice(start, start + Math.min(bytes, maxDirectoryBytes))))
  }
  return []
}

async function viewOf(part: Blob): Promise<DataView<ArrayBuffer>> {
  return new DataView(await part.arrayBuffer())
}

function namesIn(directory: DataView<ArrayBuffer>): string[] {
  const names: string[] = []
  const decoder = new TextDecoder()
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === 0x02014b50;) {
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.getUint16(at + field, true))
    if (name === undefined || extra === undefined || comment === undefined) break
    if (at + 46 + name > directory.byteLength) break
    names.push(decoder.decode(new Uint8Array(directory.buffer, at + 46, name)))
    at += 46 + name + extra + comment
  }
  return names
}
