import { crc32, gzipSync } from 'node:zlib'
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
export function makeWpress(files: readonly TestWpressFile[], { end, sums = false }: TestWpressEnd = {}): Buffer {
  const parts = files.flatMap(({ path, content, size, sum, name }) => {
    const bytes = Buffer.from(content)
    const slash = path.lastIndexOf('/')
    const folder = slash < 0 ? '.' : path.slice(0, slash)
    const own = sum ?? (sums ? sumOf(bytes) : '')
    return [header(name ?? path.slice(slash + 1), size ?? String(bytes.length), folder, own), bytes]
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
