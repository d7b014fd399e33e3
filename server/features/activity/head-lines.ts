import { createHash } from 'node:crypto'
import { isObject, parseJson } from '#shared/parse-json.ts'
import type { Secrets } from '#server/platform/secrets/secrets.ts'

/** The state of one chain of the activity log at a point in time, kept outside the database. */
export interface HeadLine {
  /** Line number in its file, from 1 without gaps. */
  readonly n: number
  /** Id of the file; every new file has a new id. */
  readonly file: string
  /** Time of the recording, ISO 8601. */
  readonly at: string
  /** Slug of the organization; empty for the platform. */
  readonly chain: string
  /** Number of entries at that time, and the hash of the last one. */
  readonly entries: number
  readonly hash: string
  /** Digest of the previous line: a later line proves all earlier ones. */
  readonly previous: string
  /** Proof that an installation with the key ring wrote this line; write access to the database alone cannot forge it. */
  readonly seal: string
}

/** Creates and checks the proofs of lines. */
export type LineSeals = Pick<Secrets, 'seal' | 'open'>

/** Not a valid organization name, so this data key is never deleted with an organization. */
const scope = 'audit heads'

const sealContext = ({ n, file, at, chain, entries, hash, previous }: Omit<HeadLine, 'seal'>) => ({
  scope,
  aad: JSON.stringify(['audit head', n, file, at, chain, entries, hash, previous]),
})

/** Adds the proof to a line: AES-GCM over an empty text, with all values of the line as authenticated data. */
export async function sealLine(line: Omit<HeadLine, 'seal'>, seals: LineSeals): Promise<HeadLine> {
  return { ...line, seal: await seals.seal(sealContext(line), '') }
}

/** Whether this installation wrote the line unchanged. */
export async function isAuthentic(line: HeadLine, seals: LineSeals): Promise<boolean> {
  return seals.open(sealContext(line), line.seal).then(
    (text) => text === '',
    () => false,
  )
}

/** Serializes a line, without a line break. */
export const textOf = ({ n, file, at, chain, entries, hash, previous, seal }: HeadLine): string =>
  JSON.stringify({ n, file, at, chain, entries, hash, previous, seal })

/** Digest of a line, stored in the next line. */
export const digestOf = (line: HeadLine): string => createHash('sha256').update(textOf(line)).digest('base64url')

/** Maximum length of a line, with a wide margin. */
const maxCharacters = 1000

/** Parses a line; null for anything else. */
export function parseLine(text: string): HeadLine | null {
  const value = text.length <= maxCharacters ? parseJson(text) : undefined
  if (!isObject(value)) return null
  const { n, file, at, chain, entries, hash, previous, seal } = value
  const areTexts = [file, at, chain, hash, previous, seal].every((one) => typeof one === 'string')
  const areCounts = [n, entries].every((one) => Number.isSafeInteger(one) && Number(one) >= 0)
  return areTexts && areCounts ? ({ n, file, at, chain, entries, hash, previous, seal } as HeadLine) : null
}

/**
 * Finds the lines in a text: one of our files, or an email in which they were quoted and wrapped. Everything else is
 * skipped.
 */
export async function* linesIn(rows: AsyncIterable<string>): AsyncGenerator<HeadLine> {
  let open = ''
  for await (const row of rows) {
    // Quote marks of an email, and soft line breaks of one saved in its raw form.
    const piece = row
      .replace(/^[\s>]+/, '')
      .trimEnd()
      .replace(/=$/, '')
    open = piece.startsWith('{"n":') ? piece : open === '' ? '' : open + piece
    const line = open.endsWith('}') ? parseLine(open) : null
    if (line !== null) yield line
    if (line !== null || open.length > maxCharacters) open = ''
  }
}
