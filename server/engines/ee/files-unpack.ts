import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as pipelineOf } from 'node:stream/promises'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import type { OnProgress } from '#server/platform/tree-files/progress.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { namesBelow, namesOf } from '#server/platform/tree-files/tree-path.ts'
import { checkedContent, damaged } from '#server/platform/tree-files/unpack-members.ts'
import { openZip } from '#server/platform/tree-files/unzip-files.ts'
import type { ZipMember } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { folderOf, pathIn, siteFileLimits } from '#shared/rules/site-files.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { changeFiles, lookAtFiles, newOperation } from './files-call.ts'
import { openRemoteFile, sendContent } from './files-content.ts'
import { withFolder } from './files-pack.ts'
import { compressed } from './unpack-archive.ts'

/** Milliseconds of unpacking on the server, and of taking it back. */
const unpackMs = 600_000

/** An archive, and where it is unpacked. */
export interface RemoteUnzip {
  /** Of the archive in the site; ignored with `source`. */
  readonly path: string
  readonly into: string
  readonly replace: boolean
  readonly keep: string | null
  /** The archive if it is a file of this machine. */
  readonly source?: string
  readonly signal?: AbortSignal
  readonly onProgress?: OnProgress | undefined
}

/**
 * Unpacks an archive. It comes to this machine, where everything in it is checked, and goes back as a tar file with nothing but files and
 * folders.
 */
export async function unpackFiles(context: EeContext, site: SiteRef, options: RemoteUnzip): Promise<{ files: number }> {
  const { path, source, into, replace, keep, onProgress, signal = AbortSignal.timeout(unpackMs) } = options
  if (source === undefined) namesBelow(path)
  namesOf(into)
  const operation = operationOf(keep ?? newOperation(Date.now()))
  const state = { script: 'files-unpack', verb: 'state', paths: [], args: [operation], signal } as const
  const before = keep === null ? '' : (await lookAtFiles(context, site, state)).trim()
  if (before !== '') return { files: Number(before) }
  return withFolder(context, site, async (folder) => {
    const archive = source ?? join(folder, 'archive.zip')
    if (source === undefined) await fetchTo(context, site, { path, to: archive, signal })
    onProgress?.(0.3)
    const file = await open(archive)
    try {
      const part = { fd: file.fd, start: 0, size: (await file.stat()).size }
      const members = await openZip(part, () => damaged(path))
      const sent = await sendContent(context, site, compressed(packTar(tarOf(members))), signal)
      onProgress?.(0.7)
      const kib = Math.ceil(members.reduce((sum, { size }) => sum + size + 4_096, 0) / 1024)
      const files = members.filter(({ isFolder }) => !isFolder).length
      const args = [operation, sent.sha256, replace ? '1' : '', String(files), String(kib), keep === null ? '' : '1']
      await changeFiles(context, site, {
        ...{ script: 'files-unpack', verb: 'unpack', paths: [into], args, operation: sent.operation },
        ...{ signal, deadlineMs: unpackMs },
      })
      onProgress?.(1)
      return { files }
    } finally {
      await file.close()
    }
  })
}

/** Takes back what an operation unpacked. */
export async function undoUnpack(
  context: EeContext,
  site: SiteRef,
  keep: string,
): Promise<{ left: string[]; kept: boolean }> {
  const said = await changeFiles(context, site, {
    ...{ script: 'files-unpack', verb: 'undo', paths: [], args: [operationOf(keep)] },
    ...{ operation: newOperation(Date.now()), deadlineMs: unpackMs },
  })
  const [first, ...lines] = said.trim().split('\n')
  const text = (encoded: string) => Buffer.from(encoded, 'base64').toString('utf8')
  const left = lines.flatMap((line) => {
    const [word, folder = '', names = ''] = line.split(' ')
    return word === 'left'
      ? text(names)
          .split('\0')
          .filter(Boolean)
          .map((name) => pathIn(text(folder), name))
      : []
  })
  return { left: left.slice(0, 20), kept: first === 'kept' }
}

/** Forgets what an operation replaced. */
export async function finishUnpack(context: EeContext, site: SiteRef, keep: string): Promise<void> {
  await changeFiles(context, site, {
    ...{ script: 'files-unpack', verb: 'forget', paths: [], args: [operationOf(keep)] },
    operation: newOperation(Date.now()),
  })
}

/** An id of an operation, which becomes the name of a folder. */
export function operationOf(id: string): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('This is no id of an operation.')
  return id
}

async function fetchTo(
  context: EeContext,
  site: SiteRef,
  { path, to, signal }: { readonly path: string; readonly to: string; readonly signal: AbortSignal },
): Promise<void> {
  const file = await openRemoteFile(context, site, path)
  if (file.size > siteFileLimits.upload)
    throw new FileRefusal(
      'invalid',
      msg`An archive can have ${siteFileLimits.upload / 1_073_741_824} GB at the most.`,
      msg`Extract it on the server.`,
    )
  await pipelineOf(file.open(), createWriteStream(to, { mode: 0o600 }), { signal })
}

function* headersOf(path: string, made: Set<string>): Generator<TarMember, void, undefined> {
  if (path === '' || made.has(path)) return
  made.add(path)
  yield* headersOf(folderOf(path), made)
  yield { header: { name: path, type: 'directory', size: 0, mode: 0o755, mtime: Date.now() / 1000 }, content: [] }
}

async function* tarOf(members: readonly ZipMember[]): AsyncGenerator<TarMember, void, undefined> {
  const made = new Set<string>()
  for (const member of members) {
    const { path, isFolder, size } = member
    yield* headersOf(isFolder ? path : folderOf(path), made)
    if (isFolder) continue
    const header = { name: path, type: 'file' as const, size, mode: 0o644, mtime: Date.now() / 1000 }
    yield { header, content: checkedContent(member) }
  }
}
