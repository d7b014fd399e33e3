import { maxParts, partBytes } from '#server/platform/network/sent-parts.ts'
import { createHash } from 'node:crypto'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { ServerRef, SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { look, outputOf, persistent, type ScriptCall } from './remote.ts'

/** Names of the parts that a site is packed into on its server. */
export type PackedName =
  | 'files.tar.gz'
  | 'database.sql.gz'
  | 'list.gz'
  | 'database.sql'
  | 'database.rows'
  | 'database.pieces'
  | 'tree.gz'
  | 'archive.age'
  | 'archive.clear'
  | 'archive.sums'
  | 'archive.tar'
  | 'archive.whole'

/** A part of a site that is complete on its server. */
export interface PackedPart {
  readonly name: PackedName
  readonly bytes: number
  readonly sha256: string
}

/** Bytes that one call fetches. */
const pieceBytes = 3 * 1_048_576
/** What is never stored, and so can be of any size. */
const onlyMeasured: readonly PackedName[] = ['archive.tar', 'archive.whole']

/** Finds a part that was packed with a token; null if it is not complete. */
export async function findPart(
  context: EeContext,
  { server, id }: SiteRef,
  { name, token, signal }: { readonly name: PackedName; readonly token: string; readonly signal: AbortSignal },
): Promise<PackedPart | null> {
  const output = outputOf(await look(context, server, { script: 'packed', args: [id], signal, maxBytes: 16_384 }))
  for (const line of output.split('\n')) {
    const [, at, mark, bytes, sha256] = /^([a-z.]{1,20}) ([a-f0-9]{16}) (\d{1,15}) ([a-f0-9]{64})$/.exec(line) ?? []
    if (at !== name || mark !== token || sha256 === undefined) continue
    // A bucket takes no larger archive.
    if (Number(bytes) > maxParts * partBytes && !onlyMeasured.includes(name)) throw tooLarge()
    return { name, bytes: Number(bytes), sha256 }
  }
  return null
}

const tooLarge = (): EngineError =>
  new EngineError('invalid', msg`The site is too large for a backup.`, {
    nextAction: msg`Delete files that it does not need.`,
  })

/** Fetches a part piece by piece, across broken connections. Throws EngineError `unavailable` if it is not what the server said. */
export const fetchPart = (
  context: EeContext,
  { server, id }: SiteRef,
  part: PackedPart,
  options: FetchOptions,
): AsyncGenerator<Buffer, void, undefined> =>
  fetchPieces(context, server, { ...part, script: 'packed-part', args: [id, part.name] }, options)

interface FetchOptions {
  readonly signal: AbortSignal
  onBytes?(count: number): void
}

/** A file of a server, and the script that prints parts of it in base64: its last arguments are an offset and a length. */
interface FetchedFile extends Pick<ScriptCall, 'script' | 'args'>, Pick<PackedPart, 'bytes' | 'sha256'> {}

/** Likewise, for any file that nobody changes meanwhile. */
export async function* fetchPieces(
  context: EeContext,
  server: ServerRef,
  { script, args, bytes, sha256 }: FetchedFile,
  { signal, onBytes }: FetchOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const sum = createHash('sha256')
  for (let at = 0; at < bytes;) {
    signal.throwIfAborted()
    const length = Math.min(pieceBytes, bytes - at)
    const call = { script, args: [...args, String(at), String(length)], signal, maxBytes: 2 * pieceBytes }
    // A piece is the same whenever it is read.
    const read = await persistent(context, signal, () => look(context, server, call))
    const piece = Buffer.from(outputOf(read), 'base64')
    if (piece.length !== length) throw notTheSame()
    sum.update(piece)
    at += length
    onBytes?.(length)
    yield piece
  }
  if (sum.digest('hex') !== sha256) throw notTheSame()
}

const notTheSame = (): EngineError =>
  new EngineError('unavailable', msg`What arrived is not what the server packed.`, {
    retryable: true,
    nextAction: msg`Retry.`,
  })
