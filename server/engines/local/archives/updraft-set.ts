import { minFreeBytes } from '#server/platform/files/disk-space.ts'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { checkedContent, damaged, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { openZip, type FilePart } from '#server/platform/tree-files/unzip-files.ts'
import {
  assertDistinct,
  maxEntries,
  refuseEntry,
  refuseExpansion,
  type ZipMember,
} from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { headBytes, isUpdraftDump, kindOfFile } from '#shared/rules/archive-formats.ts'
import { folderOf, nameOf } from '#shared/rules/site-files.ts'
import { maxImportBytes } from '#shared/rules/site-imports.ts'
import { contentOf, gunzip, gunzipped, headOf, withoutRepeatedFolders } from './member-content.ts'
import { noFacts, type ArchiveFacts, type SiteArchive } from './site-archive.ts'
import { versionOf } from './wpress.ts'

/*
 * Backups of UpdraftPlus: a dump of the database, packed with gzip, and ZIP archives of `plugins`, `themes`, `uploads`,
 * `mu-plugins` and of what else is in `wp-content`, whose paths begin with these names. Large ones come in parts (`uploads2`).
 * The set arrives as one ZIP archive of all of them. The dump begins with comments that name the prefix of the tables and say
 * whether the site is a network. Facts from `backup.php` of the plugin (https://wordpress.org/plugins/updraftplus/) and
 * https://updraftplus.com/faqs/what-file-is-what/ .
 */

/** Sets have a handful of files, all in one folder; an archive with more is another kind, even if it has a backup in it. */
const maxFiles = 300
const encryptedDump = /-db\d{0,3}\.gz\.crypt$/
const partName = /^(.{0,200})-(plugins|themes|uploads|others|mu-plugins)(\d{0,4})\.zip$/
/** Folders outside `wp-content` that people chose; nothing says where they go. */
const otherFolders = /-more\d{0,4}\.zip$/
/** The path that the dump has among the files. */
const dumpPath = '.updraftplus-database.sql'

/**
 * Reads the set in a ZIP archive; null if there is none. Parts that are packed once more are unpacked into a folder of ours
 * first: only plain ones can be read in place.
 */
export async function readUpdraftSet(
  members: readonly ZipMember[],
  { part, parts, keep }: { part: FilePart; parts: string; keep: (fd: number) => void },
): Promise<SiteArchive | null> {
  const files = members.filter(({ path, isFolder }) => !isFolder && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(path))
  if (files.length > maxFiles || new Set(files.map(({ path }) => folderOf(path))).size !== 1) return null
  const { dumps, archives } = await sort(files)
  const [dump] = dumps
  if (dump === undefined) {
    if (files.some(({ path }) => encryptedDump.test(path))) throw encrypted()
    return null
  }
  if (dumps.length > 1) throw severalBackups()
  assertPartsFit(archives)
  const inside: UnpackMember[] = []
  const leftOutParts: string[] = []
  for (const [number, member] of archives.entries()) {
    const found = await openZip(await partOf(member, number, { part, parts, keep }), () => damaged(member.path))
    if (otherFolders.test(member.path) || found.some(({ path }) => /(?:^|\/)wp-includes\/version\.php$/.test(path)))
      leftOutParts.push(nameOf(member.path))
    else inside.push(...found)
    if (inside.length > maxEntries) throw refuseEntry(msg`The archive has more than ${maxEntries} files and folders.`)
  }
  const all = [...withoutRepeatedFolders(inside), dump.member]
  assertDistinct(all)
  return {
    source: 'updraftplus',
    members: all,
    facts: { ...noFacts, ...factsOf(dump.head), dump: dumpPath, missingParts: missingOf(archives), leftOutParts },
  }
}

/** The only file of a backup that is its database. */
export async function isDumpAlone(content: AsyncIterable<Buffer>, isPacked: boolean): Promise<boolean> {
  const head = await headOf(isPacked ? gunzip(content, dumpPath) : content, headBytes)
  return isUpdraftDump(head.toString('latin1'))
}

/** Which files are dumps and which archives, by their content. */
async function sort(
  files: readonly ZipMember[],
): Promise<{ dumps: { member: UnpackMember; head: string }[]; archives: ZipMember[] }> {
  const dumps: { member: UnpackMember; head: string }[] = []
  const archives: ZipMember[] = []
  for (const member of files) {
    const kind = kindOfFile(await headOf(contentOf(member), headBytes))
    if (kind === 'zip') archives.push(member)
    if (kind !== 'gzip' && kind !== 'updraft_dump') continue
    const isPacked = kind === 'gzip'
    const head = await headOf(isPacked ? gunzip(contentOf(member), member.path) : contentOf(member), 16_384)
    if (!isUpdraftDump(head.toString('latin1'))) continue
    dumps.push({
      member: isPacked ? gunzipped(member, dumpPath) : { ...member, path: dumpPath },
      head: head.toString('utf8'),
    })
  }
  return { dumps, archives }
}

function factsOf(head: string): Partial<ArchiveFacts> {
  return {
    prefix: /^# Table prefix: (\w{1,40})\r?$/m.exec(head)?.[1] ?? null,
    isNetwork: /^# Site info: multisite=1\r?$/m.test(head),
    phpVersion: versionOf(/ running on PHP ([\d.]{1,20})/.exec(head)?.[1]),
  }
}

/** Parts whose later ones are there. */
function missingOf(archives: readonly ZipMember[]): string[] {
  const numbers = new Map<string, Set<number>>()
  for (const { path } of archives) {
    const [, begin = '', kind = '', digits = ''] = partName.exec(nameOf(path)) ?? []
    if (kind === '') continue
    const key = `${begin}-${kind}`
    numbers.set(key, (numbers.get(key) ?? new Set()).add(digits === '' ? 1 : Number(digits)))
  }
  const missing: string[] = []
  for (const [key, found] of numbers)
    for (let number = 1; number < Math.max(...found) && missing.length < 20; number += 1)
      if (!found.has(number)) missing.push(`${key}${number === 1 ? '' : number}.zip`)
  return missing
}

/** Where an archive in the archive can be read. */
async function partOf(
  member: ZipMember,
  number: number,
  { part, parts, keep }: { part: FilePart; parts: string; keep: (fd: number) => void },
): Promise<FilePart> {
  const { stored, size } = member
  if (stored !== null) return { fd: part.fd, start: part.start + stored.start, size: stored.size }
  const path = join(parts, `${number}.zip`)
  if (!(await exists(path))) await unpackPart(member, path, parts)
  const fd = openSync(path, 'r')
  keep(fd)
  return { fd, start: 0, size }
}

/** Archives don't get much smaller when they are packed once more, so that together they are what an upload can be. */
export function assertPartsFit(archives: readonly Pick<ZipMember, 'path' | 'size' | 'stored'>[]): void {
  const packed = archives.filter(({ stored }) => stored === null)
  const largest = packed.toSorted((a, b) => b.size - a.size)[0]
  if (largest !== undefined && packed.reduce((total, { size }) => total + size, 0) > maxImportBytes)
    throw refuseExpansion(largest.path)
}

async function unpackPart(member: ZipMember, path: string, parts: string): Promise<void> {
  mkdirSync(parts, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = statfsSync(parts)
  if (bavail * bsize - member.size < minFreeBytes) throw noDisk()
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    for await (const chunk of checkedContent(member))
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}

function encrypted(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`The database in this backup of UpdraftPlus is encrypted.`,
    msg`Decrypt it in the settings of UpdraftPlus, or back up the site without encryption, and import that.`,
  )
}

function severalBackups(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`There are several backups of UpdraftPlus: more than one of the files is a database.`,
    msg`Choose the files of one backup: their names begin alike.`,
  )
}

/** The disk has no room for what has to be unpacked before it can be read. */
export function noDisk(): FileRefusal {
  return new FileRefusal(
    'unavailable',
    msg`The disk of this machine has no room for the site.`,
    msg`Make room on the disk, then try again.`,
  )
}
