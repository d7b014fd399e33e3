import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { namesOf } from '#server/platform/tree-files/tree-path.ts'
import { changedMeanwhile, missing } from '#server/platform/tree-files/refusal.ts'
import type { SiteFileDownload } from '../site-files.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { answerOf, changeFiles, filesArgs, folderOfSite, lookAtFiles, newOperation } from './files-call.ts'
import { persistent } from './remote.ts'
import { sendPart, type SendCall } from './send-part.ts'

/** Bytes that one call fetches. */
const pieceBytes = 3 * 1_048_576
const sendMs = 3_600_000

/** Content that is on the server, beside the site, for the operation of this name. */
export interface Sent {
  readonly operation: string
  readonly sha256: string
}

/** Sends content to where an operation takes it from. */
export async function sendContent(
  context: EeContext,
  site: SiteRef,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  signal: AbortSignal = AbortSignal.timeout(sendMs),
): Promise<Sent> {
  const operation = newOperation(Date.now())
  const args = await filesArgs(context, site, { verb: 'send', operation, signal })
  const call: SendCall = { script: 'files', args, assertSent: (ended) => answerOf({ paths: [] }, ended) }
  return { operation, sha256: await sendPart(context, site, call, chunksOf(content), signal) }
}

async function* chunksOf(content: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* content
}

/** Puts a file of this machine into a site. Returns the id in the trash of what it replaces. */
export async function sendFile(
  context: EeContext,
  site: SiteRef,
  {
    path,
    source,
    replace,
    mark = '',
    signal,
  }: {
    readonly path: string
    readonly source: string
    readonly replace: boolean
    /** `packed` finds it by this operation. */
    readonly mark?: string
    readonly signal?: AbortSignal | undefined
  },
): Promise<string | null> {
  const { operation, sha256 } = await sendContent(context, site, createReadStream(source), signal)
  const args = [sha256, replace ? '1' : '', mark]
  const said = await changeFiles(context, site, { verb: 'put', paths: [path], args, operation, signal })
  return said.trim().split(' ')[1] ?? null
}

/** A file of a site on its server. */
export async function openRemoteFile(context: EeContext, site: SiteRef, path: string): Promise<SiteFileDownload> {
  if (namesOf(path).length === 0) throw missing(path)
  const workdir = await folderOfSite(context, site)
  const identity = (await lookAtFiles(context, site, { verb: 'stat', paths: [path], workdir })).trim()
  const size = Number(identity.split(' ')[1])
  const ending = new AbortController()
  const pieces = (start: number, end: number) =>
    fetchPieces(context, ending.signal, { path, start, end }, (at, length) =>
      lookAtFiles(context, site, {
        ...{ verb: 'piece', paths: [path], args: [String(at), String(length), identity] },
        ...{ maxBytes: 2 * pieceBytes, signal: ending.signal, workdir },
      }),
    )
  return {
    size,
    tag: Buffer.from(identity).toString('base64url'),
    open({ start, end } = { start: 0, end: size - 1 }) {
      const stream = Readable.from(pieces(start, Math.min(end, size - 1) + 1), { objectMode: false })
      return stream.once('close', () => ending.abort())
    },
    async close() {
      ending.abort()
    },
  }
}

/** Fetches bytes from `start` up to `end` piece by piece, across broken connections. */
export async function* fetchPieces(
  context: EeContext,
  signal: AbortSignal,
  { path, start, end }: { readonly path: string; readonly start: number; readonly end: number },
  read: (at: number, length: number) => Promise<string>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = start; at < end;) {
    signal.throwIfAborted()
    const length = Math.min(pieceBytes, end - at)
    const piece = Buffer.from(await persistent(context, signal, () => read(at, length)), 'base64')
    if (piece.length !== length) throw changedMeanwhile(path)
    at += length
    yield piece
  }
}
