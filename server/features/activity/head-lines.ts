import { createHash } from 'node:crypto'
import { isObject, parseJson } from '#server/platform/parse-json.ts'
import type { Secrets } from '#server/platform/secrets/secrets.ts'

/** The state of one chain of the activity log at one moment, kept outside the database. */
export interface HeadLine {
  /** Number of the line in its file, from 1 without gaps. */
  readonly n: number
  /** Id of the file; another one begins with another id. */
  readonly file: string
  /** When it was recorded, ISO 8601. */
  readonly at: string
  /** Slug of the organization; empty for the platform's. */
  readonly chain: string
  /** Entries of the chain then, and the hash of the last one. */
  readonly entries: number
  readonly hash: string
  /** Digest of the line before: whoever has a later line has them all. */
  readonly previous: string
  /** Proof that an installation with the key ring wrote all of this; who can write only the database cannot make one. */
  readonly seal: string
}

/** Makes and checks the proofs of lines. */
export type LineSeals = Pick<Secrets, 'seal' | 'open'>

/** No organization can have this name: its data key stays when one is deleted. */
const scope = 'audit heads'

const sealContext = ({ n, file, at, chain, entries, hash, previous }: Omit<HeadLine, 'seal'>) => ({
  scope,
  aad: JSON.stringify(['audit head', n, file, at, chain, entries, hash, previous]),
})

/** Completes a line with its proof: AES-GCM over nothing, with everything the line says as authenticated data. */
export async function sealLine(line: Omit<HeadLine, 'seal'>, seals: LineSeals): Promise<HeadLine> {
  return { ...line, seal: await seals.seal(sealContext(line), '') }
}

/** Whether this installation wrote the line as it stands. */
export async function isAuthentic(line: HeadLine, seals: LineSeals): Promise<boolean> {
  return seals.open(sealContext(line), line.seal).then(
    (text) => text === '',
    () => false,
  )
}

/** The line as text, without a line break. */
export const textOf = ({ n, file, at, chain, entries, hash, previous, seal }: HeadLine): string =>
  JSON.stringify({ n, file, at, chain, entries, hash, previous, seal })

/** What the next line says about this one. */
export const digestOf = (line: HeadLine): string => createHash('sha256').update(textOf(line)).digest('base64url')

/** Longest text of a line, with much room. */
const mostCharacters = 1000

/** Reads a line; null for anything else. */
export function parseLine(text: string): HeadLine | null {
  const value = text.length <= mostCharacters ? parseJson(text) : undefined
  if (!isObject(value)) return null
  const { n, file, at, chain, entries, hash, previous, seal } = value
  const areTexts = [file, at, chain, hash, previous, seal].every((one) => typeof one === 'string')
  const areCounts = [n, entries].every((one) => Number.isSafeInteger(one) && Number(one) >= 0)
  return areTexts && areCounts ? ({ n, file, at, chain, entries, hash, previous, seal } as HeadLine) : null
}

/**
 * The lines in a text: a file of ours, or an email in which they were quoted and broken. Everything else in it is passed over.
 */
export async function* linesIn(rows: AsyncIterable<string>): AsyncGenerator<HeadLine> {
  let open = ''
  for await (const row of rows) {
    // Signs of a quoted email, and of the soft line breaks of one that was saved as it was sent.
    const piece = row
      .replace(/^[\s>]+/, '')
      .trimEnd()
      .replace(/=$/, '')
    open = piece.startsWith('{"n":') ? piece : open === '' ? '' : open + piece
    const line = open.endsWith('}') ? parseLine(open) : null
    if (line !== null) yield line
    if (line !== null || open.length > mostCharacters) open = ''
  }
}
