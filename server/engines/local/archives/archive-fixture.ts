import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { wpressFields } from '#shared/rules/archive-formats.ts'
import { makeZip, type TestZipMember } from '../core/zip-fixture.ts'

/** A file of a test archive of All-in-One WP Migration; omitted fields get the values that the plugin writes. */
export interface TestWpressFile {
  path: string
  content: Buffer | string
  size?: string
  sum?: string
  /** The name field, if it is not the last part of the path. */
  name?: string
}

/** False values of the end of an archive. */
interface TestWpressEnd {
  /** Default: the empty header of the first version. */
  end?: Buffer
  /** Whether headers and end have checksums, as since 2025. */
  sums?: boolean
  /** Whether files are compressed, all but `package.json`. */
  compressed?: boolean
}

/** Compressed as the plugin does it: in pieces behind their lengths. */
function packed(content: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; at += 512_000) {
    const piece = deflateSync(content.subarray(at, at + 512_000))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(piece.length)
    pieces.push(length, piece)
  }
  return Buffer.concat(pieces)
}

function header(name: string, size: string, folder: string, sum: string): Buffer {
  const bytes = Buffer.alloc(Object.values(wpressFields).reduce((total, length) => total + length, 0))
  let at = 0
  for (const [text, length] of [
    [name, wpressFields.name],
    [size, wpressFields.size],
    ['1714557600', wpressFields.modified],
    [folder, wpressFields.path],
  ] as const) {
    bytes.write(text, at, length, 'utf8')
    at += length
  }
  if (sum !== '') bytes.write(sum, bytes.length - 8, 8, 'latin1')
  return bytes
}

const sumOf = (content: Buffer): string => crc32(content).toString(16).padStart(8, '0')

/** Creates an archive of All-in-One WP Migration, including invalid ones. */
export function makeWpress(
  files: readonly TestWpressFile[],
  { end, sums = false, compressed = false }: TestWpressEnd = {},
): Buffer {
  const parts = files.flatMap(({ path, content, size, sum, name }) => {
    const bytes = Buffer.from(content)
    const slash = path.lastIndexOf('/')
    const folder = slash < 0 ? '.' : path.slice(0, slash)
    const own = sum ?? (sums ? sumOf(bytes) : '')
    const stored = compressed && path !== 'package.json' ? packed(bytes) : bytes
    return [header(name ?? path.slice(slash + 1), size ?? String(stored.length), folder, own), stored]
  })
  const all = Buffer.concat(parts)
  return Buffer.concat([
    all,
    end ?? (sums ? header('', String(all.length), '', sumOf(all)).fill(0, 269, 281) : header('', '', '', '').fill(0)),
  ])
}

/** The `package.json` of an archive of All-in-One WP Migration. */
export function wpressPackage(more: Record<string, unknown> = {}): TestWpressFile {
  const said = {
    SiteURL: 'https://www.example.com',
    HomeURL: 'https://www.example.com',
    Plugin: { Version: '7.79' },
    WordPress: { Version: '6.5.5', Content: '/var/www/html/wp-content' },
    Database: { Version: '8.0.36', Charset: 'utf8mb4' },
    PHP: { Version: '8.2.18', System: 'Linux' },
    Plugins: ['own/own.php'],
    Template: 'twentytwentyfour',
    Stylesheet: 'twentytwentyfour',
    ...more,
  }
  return { path: 'package.json', content: JSON.stringify(said) }
}

/** What differs from an archive that the newest Duplicator writes. */
export interface TestDupArchive {
  /** Default: 5. */
  version?: 1 | 5
  compressed?: boolean
  /** Bytes of a piece. */
  globBytes?: number
  encrypted?: boolean
  /** False values of the pieces. */
  sum?: string
  size?: string
}

/** Creates an archive in Duplicator's own format, including invalid ones; paths that end with a slash are folders. */
export function makeDupArchive(members: Record<string, string | Buffer>, given: TestDupArchive = {}): Buffer {
  const { version = 5, compressed = true, globBytes = 1_048_576, encrypted = false } = given
  const flags = (bits: number): string => `<X>${String.fromCharCode(bits)}\0</X>`
  const bits = (compressed ? 1 : 0) + (encrypted ? 2 : 0)
  const about = version === 5 ? `<V>5.0.1</V>${flags(bits)}<P></P>` : `<V>1.0.0</V><C>${String(compressed)}</C>`
  const parts: (string | Buffer)[] = [`<A>${about}</A>`]
  const add = (path: string, content: Buffer, { isPacked, fill = 0 }: { isPacked: boolean; fill?: number }): void => {
    const own = version === 5 ? flags((isPacked ? 1 : 0) + (encrypted ? 2 : 0)) : ''
    const name = Buffer.from(path)
    parts.push(`<F><FS>${content.length}</FS><MT>1714557600</MT><P>0644</P>${own}<HA>${sumOf(content)}</HA>`)
    parts.push(`<RPL>${name.length}</RPL><RP>`, name, '</RP></F>')
    for (let at = 0; at < content.length; at += globBytes) {
      const piece = content.subarray(at, at + globBytes)
      const stored = isPacked ? deflateRawSync(piece) : Buffer.concat([piece, Buffer.alloc(fill)])
      const sum = given.sum ?? sumOf(version === 5 ? piece : stored)
      parts.push(`<G><OS>${given.size ?? piece.length}</OS><SS>${stored.length}</SS><HA>${sum}</HA></G>`, stored)
    }
  }
  add('__dup__archive__index.json', Buffer.from('["test"]'), { isPacked: false, fill: 1_992 })
  for (const [path, content] of Object.entries(members)) {
    const name = Buffer.from(path.replace(/\/$/, ''))
    if (path.endsWith('/'))
      parts.push(`<D><MT>1714557600</MT><P>0755</P><RPL>${name.length}</RPL><RP>`, name, '</RP></D>')
    else add(path, Buffer.from(content), { isPacked: compressed })
  }
  return Buffer.concat(parts.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : one)))
}

/** The database of a backup of UpdraftPlus, packed in two streams like the plugin's stitched ones. */
export function updraftDump(sql: string, { prefix = 'wp_', network = false } = {}): Buffer {
  const head = `# WordPress MySQL database backup
# Created by UpdraftPlus version 1.24.3 (https://updraftplus.com)
# WordPress Version: 6.5.5, running on PHP 8.2.18 (nginx/1.24.0), MySQL 8.0.36
# Backup of: https://www.example.com
# Home URL: https://www.example.com
# Content URL: https://www.example.com/wp-content
# Uploads URL: https://www.example.com/wp-content/uploads
# Table prefix: ${prefix}
# Filtered table prefix: ${prefix}
# Site info: multisite=${network ? 1 : 0}
# Site info: end

`
  return Buffer.concat([gzipSync(head), gzipSync(sql)])
}

/** A ZIP archive of texts by name. */
export function zipOf(members: Record<string, string | Buffer>, more: Partial<TestZipMember> = {}): Buffer {
  return makeZip(Object.entries(members).map(([name, content]) => ({ name, content: Buffer.from(content), ...more })))
}
