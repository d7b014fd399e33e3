import { createHash } from 'node:crypto'
import { omittedOf, type OmittedValue } from '#shared/omitted-value.ts'
import { canonicalJson } from '#shared/same-value.ts'

/**
 * Maximum size of a side of an activity entry, as JSON in bytes. The log is never pruned, so a single entry must stay small.
 */
const maxBytes = 4096

type Side = Record<string, unknown>

interface Part {
  readonly name: string
  readonly json: string
  readonly bytes: number
  readonly value: unknown
}

const partOf = (name: string, value: unknown): Part => {
  const json = canonicalJson(value ?? null)
  return { name, json, bytes: Buffer.byteLength(json), value }
}

/** Includes the braces, and the name, colon and comma of each part. */
const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { name, bytes }) => sum + Buffer.byteLength(JSON.stringify(name)) + bytes + 2, 2)

function omitted({ name, json, bytes }: Part, hash: boolean): Part {
  const value: OmittedValue = {
    omitted: { bytes, ...(hash && { sha256: createHash('sha256').update(json).digest('hex') }) },
  }
  return partOf(name, value)
}

/**
 * Limits a side to 4 KB: the largest fields are replaced by their size and SHA-256 until it fits. Field by field, so that
 * readers still get the fields they can read and no hash reveals the others. A value that looks like an omitted value is
 * replaced as well: the log contains only genuine ones.
 */
export function truncateSide(side: Side): Side {
  let parts = Object.entries(side).map(([name, value]) => partOf(name, value))
  const originals = new Map(parts.map((part) => [part.name, part]))
  parts = parts.map((part) => (omittedOf(part.value) === null ? part : omitted(part, true)))
  if (sizeOf(parts) <= maxBytes) return sideOf(parts)
  for (const hash of [true, false]) {
    for (const { name } of parts.toSorted((a, b) => b.bytes - a.bytes)) {
      if (sizeOf(parts) <= maxBytes) return sideOf(parts)
      const smaller = omitted(originals.get(name) as Part, hash)
      parts = parts.map((part) => (part.name === name && smaller.bytes < part.bytes ? smaller : part))
    }
  }
  return sideOf(parts)
}

function sideOf(parts: readonly Part[]): Side {
  return Object.fromEntries(parts.map(({ name, value }) => [name, value]))
}
