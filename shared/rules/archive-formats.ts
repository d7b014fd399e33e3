/*
 * Which archives with sites there are, told by their content: names of files are whatever people made of them. Used by the
 * dialog before an upload and by the engine after it.
 */

/** Bytes at the beginning of a file that tell its container. */
export const headBytes = 4096

/** What a file is, by its first bytes. */
export type FileKind = 'zip' | 'gzip' | 'zstd' | 'wpress' | 'dup_archive' | 'wxr' | 'updraft_dump'

/** The sign at the beginning of a Duplicator archive that is no ZIP: `<A>` opens its header, `<V>` the version. */
const dupArchiveSign = '<A><V>'

/** Layout of a header of All-in-One WP Migration; see `server/engines/local/archives/wpress.ts`. */
export const wpressFields = { name: 255, size: 14, modified: 12, path: 4096 } as const

/** What a file is; null if its first bytes (`headBytes` of them are enough) are none that is known. */
export function kindOfFile(head: Uint8Array): FileKind | null {
  const text = latin1Of(head)
  if (/^PK(?:\x03\x04|\x05\x06)/.test(text)) return 'zip'
  if (text.startsWith('\x1f\x8b')) return 'gzip'
  if (text.startsWith('\x28\xb5\x2f\xfd')) return 'zstd'
  if (text.startsWith(dupArchiveSign)) return 'dup_archive'
  if (isWpress(text)) return 'wpress'
  if (isUpdraftDump(text)) return 'updraft_dump'
  return isWxr(text) ? 'wxr' : null
}

function latin1Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes.subarray(0, headBytes)) text += String.fromCharCode(byte)
  return text
}

/** The first header: a name, then a size and a time as decimal numbers, each filled up with NUL. */
function isWpress(text: string): boolean {
  const { name, size, modified } = wpressFields
  return (
    /^[^\x00-\x1f/]{1,255}\x00*$/.test(text.slice(0, name)) &&
    /^\d{1,14}\x00{0,13}$/.test(text.slice(name, name + size)) &&
    /^\d{1,12}\x00{0,11}$/.test(text.slice(name + size, name + size + modified))
  )
}

/** The comment that UpdraftPlus begins its dumps with. */
export function isUpdraftDump(text: string): boolean {
  return /^# WordPress MySQL database backup\r?\n# Created by UpdraftPlus /.test(text)
}

/** An RSS file with the namespace of WordPress' export, whatever its version. */
function isWxr(text: string): boolean {
  if (!/^(?:\xef\xbb\xbf)?\s{0,200}<(?:\?xml|rss)\s/.test(text)) return false
  const [tag = ''] = text.slice(Math.max(0, text.indexOf('<rss'))).split('>', 1)
  return /\sxmlns:wp=["']http:\/\/wordpress\.org\/export\/[\d.]{1,10}\/["']/.test(tag)
}

/** Systems whose archives can be told by the names of their files. */
export type NamedFormat = 'easydash' | 'updraftplus' | 'duplicator' | 'wordpress'

/** A dump of UpdraftPlus among the files of a ZIP archive, as its writer names it. */
const updraftDump = /(?:^|\/)[^/]{1,200}-db\d{0,3}(?:\.gz|\.gz\.crypt)?$/
/** Where Duplicator puts its dump: in old versions, since 1.3, and since 4.5. */
const duplicatorDump =
  /^(?:dup-installer\/(?:dup-database__[^/]{1,200}\.sql|dup_descriptors_[^/]{1,200}\/db_dumps\/[^/]{1,200}\.sql(?:\.gz)?)|dup-database__[^/]{1,200}\.sql)$/

/** Whether a file in an archive is the dump of Duplicator. */
export function isDuplicatorDump(path: string): boolean {
  return duplicatorDump.test(path)
}

/** Which system's archive has files of these names; null if none is known. */
export function formatOfNames(paths: Iterable<string>): NamedFormat | null {
  let [hasManifest, hasFiles, hasDump, hasWordPress] = [false, false, false, false]
  for (const path of paths) {
    if (isDuplicatorDump(path)) return 'duplicator'
    hasManifest ||= path === 'manifest.json'
    hasFiles ||= path.startsWith('files/')
    hasDump ||= updraftDump.test(path)
    hasWordPress ||= /(?:^|\/)(?:wp-content|wp-includes)\//.test(path)
  }
  if (hasManifest && hasFiles) return 'easydash'
  return hasWordPress ? 'wordpress' : hasDump ? 'updraftplus' : null
}
