import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { openZip, piecesOf, type FilePart } from '#server/platform/tree-files/unzip-files.ts'
import { msg } from '#shared/localized-message.ts'
import { headBytes, kindOfFile } from '#shared/rules/archive-formats.ts'
import { readDupArchive } from './dup-archive.ts'
import { readDuplicator } from './duplicator.ts'
import { noFacts, type SiteArchive } from './site-archive.ts'
import { readTarArchive } from './tar-archive.ts'
import { isDumpAlone, readUpdraftSet } from './updraft-set.ts'
import { readWpress } from './wpress.ts'
import { inspectWxr, wxrToSql } from './wxr/wxr-sql.ts'

/** The path that the dump of a WXR file has. */
const contentDump = '.wxr.sql'

/** An uploaded archive. */
export interface ArchiveFiles {
  readonly archive: string
  /** Folder of ours for parts of it that have to be unpacked before they can be read. */
  readonly parts: string
}

/**
 * Opens an archive, whose kind its content tells, for as long as `work` takes. Everything that headers and directories say
 * has been checked. Throws FileRefusal for anything that is no archive with files.
 */
export async function withSiteArchive<T>(
  { archive, parts }: ArchiveFiles,
  work: (archive: SiteArchive) => Promise<T>,
): Promise<T> {
  const fd = openSync(archive, constants.O_RDONLY | constants.O_NOFOLLOW)
  const open = [fd]
  try {
    const part = { fd, start: 0, size: fstatSync(fd).size }
    return await work(await readArchive(part, parts, (more) => void open.push(more)))
  } finally {
    for (const one of open) closeSync(one)
  }
}

async function readArchive(part: FilePart, parts: string, keep: (fd: number) => void): Promise<SiteArchive> {
  const kind = kindOfFile(Buffer.concat([...piecesOf({ ...part, size: Math.min(headBytes, part.size) })]))
  if (kind === 'wpress') return readWpress(part)
  if (kind === 'wxr') return readWxrArchive(part)
  if (kind === 'zstd') return readTarArchive(part, { parts, keep })
  if (kind === 'dup_archive') {
    const members = readDupArchive(part)
    return (await readDuplicator(members)) ?? { source: null, members, facts: noFacts }
  }
  const isDump = kind === 'updraft_dump' || kind === 'gzip'
  if (isDump && (await isDumpAlone(contentOf(part), kind === 'gzip'))) throw onlyDatabase()
  const members = await openZip(part, noArchive)
  return (
    (await readDuplicator(members)) ??
    (await readUpdraftSet(members, { part, parts, keep })) ?? { source: null, members, facts: noFacts }
  )
}

/** Content without files: its only member is a dump that is written while the file is read. */
async function readWxrArchive(part: FilePart): Promise<SiteArchive> {
  const content = await inspectWxr(contentOf(part))
  const dump = {
    ...{ path: contentDump, isFolder: false, size: null, crc32: null },
    read: async () => wxrToSql(contentOf(part)),
  }
  const facts = { ...noFacts, dump: contentDump, prefix: 'wp_', title: content.title, content }
  return { source: 'wxr', members: [dump], facts }
}

async function* contentOf(part: FilePart): AsyncGenerator<Buffer, void, undefined> {
  yield* piecesOf(part)
}

/** It is no archive that is known. */
export function noArchive(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`This is no archive that can be imported, or it is damaged.`,
    msg`Choose a ZIP file, a backup of Easydash, an archive of All-in-One WP Migration or Duplicator, all files of a backup of UpdraftPlus, or a WordPress export.`,
  )
}

function onlyDatabase(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`This is only the database of a backup of UpdraftPlus.`,
    msg`Choose all files of the backup together: database, plugins, themes, uploads and others.`,
  )
}
