import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { pipeline as pipelineOf } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { tarMembers } from '#server/platform/files/tar.ts'
import { longestZipName, writeZip, type ZipContent } from '#server/platform/files/zip-writer.ts'
import type { OnProgress } from '#server/platform/tree-files/progress.ts'
import { assertNewPath, namesBelow, namesOf } from '#server/platform/tree-files/tree-path.ts'
import { folderOf, nameOf } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { encodedPath, folderOfSite, lookAtFiles, newOperation } from './files-call.ts'
import { fetchPieces, sendFile } from './files-content.ts'
import { persistent } from './remote.ts'

/** Milliseconds of packing on the server. */
const packMs = 600_000

/** Files and folders as a ZIP archive: the server packs them beside the site, and they are packed anew as they arrive. */
export async function packFiles(
  context: EeContext,
  site: SiteRef,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Readable> {
  for (const path of paths) namesOf(path)
  // A stream that has begun can only break off.
  const workdir = await folderOfSite(context, site, signal)
  await lookAtFiles(context, site, { verb: 'check', paths, signal, workdir })
  const ending = new AbortController()
  const either = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal])
  const stream = Readable.from(writeZip(contentsOf(context, site, paths, { workdir, signal: either })), {
    objectMode: false,
  })
  return stream.once('close', () => ending.abort())
}

/** Names inside are relative to the folder that all paths are in, if there is one. */
async function* contentsOf(
  context: EeContext,
  site: SiteRef,
  paths: readonly string[],
  how: Pick<PackedGroup, 'workdir' | 'signal'>,
): AsyncGenerator<ZipContent, void, undefined> {
  const groups = Map.groupBy(paths, folderOf)
  for (const [folder, inside] of groups) {
    const names = inside.map((path) => (path === '' ? '.' : nameOf(path)))
    const prefix = groups.size === 1 || folder === '' ? '' : `${folder}/`
    const tooLong = (name: Buffer) =>
      context.log.warn('A path of a site is too long for a ZIP archive', {
        ...{ site: site.id, path: name.toString('utf8', 0, 200) },
      })
    yield* membersIn(packedOf(context, site, { folder, names, ...how }), Buffer.from(prefix), tooLong)
  }
}

interface PackedGroup {
  readonly folder: string
  readonly names: readonly string[]
  readonly workdir: string
  readonly signal: AbortSignal
}

/** The tar file of what is in one folder, compressed. */
async function* packedOf(
  context: EeContext,
  site: SiteRef,
  { folder, names, workdir, signal }: PackedGroup,
): AsyncGenerator<Buffer, void, undefined> {
  const operation = newOperation(Date.now())
  const call = { operation, workdir, signal }
  const said = await persistent(context, signal, () =>
    lookAtFiles(context, site, {
      ...{ ...call, verb: 'pack', paths: names, args: [encodedPath(folder)] },
      deadlineMs: packMs,
    }),
  )
  try {
    yield* fetchPieces(context, signal, { path: folder, start: 0, end: Number(said.trim()) }, (at, length) =>
      lookAtFiles(context, site, {
        ...{ ...call, verb: 'sent', paths: [], args: [String(at), String(length)] },
        maxBytes: 8 * 1_048_576,
      }),
    )
  } finally {
    // What is left there goes after a day, too.
    await lookAtFiles(context, site, { verb: 'drop', paths: [], operation, workdir }).catch((error: unknown) => {
      context.log.warn('What was packed of a site stays on its server for a day', { site: site.id, error })
    })
  }
}

/** Files and folders in a tar file that a server sent. Their names are bytes, of which some are no text, and their paths longer than those that can be opened here. */
async function* membersIn(
  packed: AsyncIterable<Buffer>,
  prefix: Buffer,
  tooLong: (name: Buffer) => void,
): AsyncGenerator<ZipContent, void, undefined> {
  const plain = createGunzip()
  // Its error is that of what reads it.
  pipeline(Readable.from(packed, { objectMode: false }), plain, () => undefined)
  for await (const { header, content } of tarMembers(plain, 'latin1')) {
    const path = header.name.replace(/^\.\//, '').replace(/\/$/, '')
    const isFolder = header.type === 'directory'
    const name = Buffer.concat([prefix, Buffer.from(isFolder ? `${path}/` : path, 'latin1')])
    const isLong = name.length > longestZipName
    if (isLong) tooLong(name)
    if (header.type === 'other' || path === '' || path === '.' || isLong) {
      for await (const _chunk of content);
      continue
    }
    if (path.split('/').some((part) => ['', '.', '..'].includes(part)))
      throw new EngineError('unavailable', msg`The server sent files with paths that are not allowed.`, {
        nextAction: msg`Look at the server.`,
      })
    yield {
      name,
      mode: (isFolder ? 0o040000 : 0o100000) | (header.mode & 0o777),
      modified: new Date(header.mtime * 1000),
      content,
    }
  }
}

/** What becomes an archive of the site. */
export interface RemoteZip {
  readonly paths: readonly string[]
  readonly to: string
  readonly operation: string | null
  readonly signal?: AbortSignal
  readonly onProgress?: OnProgress | undefined
}

/** Writes an archive as a new file of the site. */
export async function packFilesInto(context: EeContext, site: SiteRef, options: RemoteZip): Promise<{ bytes: number }> {
  const { paths, to, operation, onProgress, signal = AbortSignal.timeout(packMs) } = options
  assertNewPath(to)
  namesBelow(to)
  const mark = operation ?? ''
  const packed = { verb: 'packed', paths: [to], args: [mark], signal }
  const before = mark === '' ? '' : (await lookAtFiles(context, site, packed)).trim()
  if (before !== '') return { bytes: Number(before) }
  await lookAtFiles(context, site, { verb: 'free', paths: [to], signal })
  return withFolder(context, site, async (folder) => {
    const archive = join(folder, 'archive.zip')
    await pipelineOf(await packFiles(context, site, paths, signal), createWriteStream(archive, { mode: 0o600 }), {
      signal,
    })
    onProgress?.(0.5)
    const { size } = await stat(archive)
    await sendFile(context, site, { path: to, source: archive, replace: false, mark, signal })
    onProgress?.(1)
    return { bytes: size }
  })
}

/** Calls `work` with an empty folder of this machine, for one piece of work of a site at a time, which removes it after that. */
export async function withFolder<T>(
  { packedFolder }: EeContext,
  { id, domain }: SiteRef,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  assertSite({ id, domain })
  const folder = join(packedFolder, `${id}-files`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
