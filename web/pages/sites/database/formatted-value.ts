/*
 * Values that plugins store as texts with a structure: PHP's serialize() and JSON. They are shown as an outline, never
 * evaluated. Reading is linear and bounded.
 */

/** Longest text that is read, deepest nesting, and most lines of an outline. */
const maxLength = 1_000_000
const maxDepth = 50
const maxLines = 5_000

/** How a value is stored. */
export type ValueFormat = 'serialized' | 'json'

/** An outline of a text with a structure; null if it has none. */
export function formattedValue(text: string): { readonly format: ValueFormat; readonly outline: string } | null {
  if (text.length > maxLength) return null
  const serialized = outlineOfSerialized(text)
  if (serialized !== null) return { format: 'serialized', outline: serialized }
  const json = outlineOfJson(text)
  return json === null ? null : { format: 'json', outline: json }
}

function outlineOfJson(text: string): string | null {
  if (!/^\s{0,100}[[{]/.test(text)) return null
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

/** What is left to read of a serialized text. PHP counts bytes, so it is read as bytes. */
interface Reader {
  readonly bytes: Uint8Array
  at: number
  readonly lines: string[]
}

class Damaged extends Error {}

function outlineOfSerialized(text: string): string | null {
  if (!/^[aOCs]:\d{1,10}:|^[bid]:[-\d.]|^N;/.test(text)) return null
  const reader: Reader = { bytes: new TextEncoder().encode(text), at: 0, lines: [] }
  try {
    readValue(reader, '', 0)
    return reader.at === reader.bytes.length ? reader.lines.join('\n') : null
  } catch (error) {
    if (error instanceof Damaged) return null
    throw error
  }
}

const decoder = new TextDecoder()

function readValue(reader: Reader, label: string, depth: number): void {
  if (depth > maxDepth || reader.lines.length >= maxLines) throw new Damaged()
  const add = (shown: string): void => void reader.lines.push('  '.repeat(depth) + label + shown)
  const kind = until(reader, reader.bytes[reader.at + 1] === 0x3b ? ';' : ':')
  switch (kind) {
    case 'N':
      return add('null')
    case 'b':
      return add(until(reader, ';') === '1' ? 'true' : 'false')
    case 'i':
    case 'd':
    case 'r':
    case 'R':
      return add((kind.toLowerCase() === 'r' ? 'reference ' : '') + until(reader, ';'))
    case 's':
      add(JSON.stringify(readString(reader)))
      return expect(reader, ';')
    case 'E':
      add(readString(reader))
      return expect(reader, ';')
    case 'a':
      return readPairs(reader, add, 'array', depth)
    case 'O': {
      const name = readString(reader)
      expect(reader, ':')
      return readPairs(reader, add, name, depth)
    }
    default:
      throw new Damaged()
  }
}

function readPairs(reader: Reader, add: (shown: string) => void, name: string, depth: number): void {
  const count = numberOf(until(reader, ':'))
  expect(reader, '{')
  add(`${name} (${count})`)
  for (let pair = 0; pair < count; pair += 1) readValue(reader, `${readKey(reader)}: `, depth + 1)
  expect(reader, '}')
}

function readKey(reader: Reader): string {
  const kind = until(reader, ':')
  if (kind === 'i') return until(reader, ';')
  if (kind !== 's') throw new Damaged()
  const key = readString(reader)
  expect(reader, ';')
  // PHP puts the class of a private property between two NULs in front of its name.
  return JSON.stringify(key.slice(key.lastIndexOf('\0') + 1))
}

/** A string with its length in bytes: `3:"abc"`. */
function readString(reader: Reader): string {
  const length = numberOf(until(reader, ':'))
  expect(reader, '"')
  const end = reader.at + length
  if (end > reader.bytes.length) throw new Damaged()
  const text = decoder.decode(reader.bytes.subarray(reader.at, end))
  reader.at = end
  expect(reader, '"')
  return text
}

function numberOf(digits: string): number {
  if (!/^\d{1,10}$/.test(digits)) throw new Damaged()
  return Number(digits)
}

/** Longest number or name of a kind. */
const maxToken = 40

/** The text up to a sign, and moves behind it. */
function until(reader: Reader, sign: string): string {
  const code = sign.charCodeAt(0)
  for (let at = reader.at; at < Math.min(reader.bytes.length, reader.at + maxToken); at += 1) {
    if (reader.bytes[at] !== code) continue
    const text = decoder.decode(reader.bytes.subarray(reader.at, at))
    reader.at = at + 1
    return text
  }
  throw new Damaged()
}

function expect(reader: Reader, sign: string): void {
  if (reader.bytes[reader.at] !== sign.charCodeAt(0)) throw new Damaged()
  reader.at += 1
}
