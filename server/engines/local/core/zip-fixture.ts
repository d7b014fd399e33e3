import { crc32, deflateRawSync } from 'node:zlib'

/** A member of a test archive; omitted fields get the values of a normal writer. */
export interface TestZipMember {
  name: string | Buffer
  content: Buffer
  /** Default: false (deflated). */
  stored?: boolean
  /** Unix type and permissions, e.g. 0o120777 for a link. */
  mode?: number
  flags?: number
  /** Values of the local header that differ from the directory. */
  localName?: string
  localMethod?: number
  /** False values in the directory. */
  crc?: number
  size?: number
  packedSize?: number
  /** Points to the data of another member, by its index. */
  dataOf?: number
}

/** False values in the end of the directory. */
export interface TestZipEnd {
  count?: number
  comment?: Buffer
}

/** Creates a ZIP archive, including invalid ones. */
export function makeZip(members: readonly TestZipMember[], end: TestZipEnd = {}): Buffer {
  const offsets: number[] = []
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const member of members) {
    const { content, stored = false, flags = 0, mode = 0 } = member
    const packed = stored ? content : deflateRawSync(content)
    const name = Buffer.from(member.name)
    const method = stored ? 0 : 8
    const head = (nameBytes: Buffer, ownMethod: number): Buffer => {
      const bytes = Buffer.alloc(26)
      bytes.writeUInt16LE(20, 0)
      bytes.writeUInt16LE(flags, 2)
      bytes.writeUInt16LE(ownMethod, 4)
      bytes.writeUInt32LE(member.crc ?? crc32(content), 10)
      bytes.writeUInt32LE(member.packedSize ?? packed.length, 14)
      bytes.writeUInt32LE(member.size ?? content.length, 18)
      bytes.writeUInt16LE(nameBytes.length, 22)
      return bytes
    }
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    const own = member.dataOf === undefined ? offset : (offsets[member.dataOf] ?? 0)
    tail.writeUInt32LE(own, 10)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003', 'latin1'), head(name, method), tail, name]))
    offsets.push(own)
    if (member.dataOf !== undefined) continue
    const localName = Buffer.from(member.localName ?? name)
    const local = [Buffer.from('PK\u0003\u0004', 'latin1'), head(localName, member.localMethod ?? method), localName]
    locals.push(Buffer.concat([...local, packed]))
    offset += locals.at(-1)?.length ?? 0
  }
  const directory = Buffer.concat(central)
  const comment = end.comment ?? Buffer.alloc(0)
  const last = Buffer.alloc(22)
  last.write('PK\u0005\u0006', 'latin1')
  last.writeUInt16LE(end.count ?? members.length, 8)
  last.writeUInt16LE(end.count ?? members.length, 10)
  last.writeUInt32LE(directory.length, 12)
  last.writeUInt32LE(offset, 16)
  last.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, directory, last, comment])
}
