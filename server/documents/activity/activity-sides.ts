import { createHash } from 'node:crypto'
import { omittedOf, type OmittedValue } from '#shared/omitted-value.ts'
import { canonicalJson } from '../store/values.ts'

/** Most bytes of a side of an activity entry, as JSON. The log is never emptied, so nobody fills it. */
const mostBytes = 4096

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

/** With the braces, each part with its name, colon and comma. */
const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { name, bytes }) => sum + Buffer.byteLength(JSON.stringify(name)) + bytes + 2, 2)

function omitted({ name, json, bytes }: Part, hash: boolean): Part {
  const value: OmittedValue = {
    omitted: { bytes, ...(hash && { sha256: createHash('sha256').update(json).digest('hex') }) },
  }
  return partOf(name, value)
}

/**
 * A side as it is kept: of the largest fields only size and SHA-256, as many of them as it takes to get below 4 KB. Field
 * by field, so that readers still get those they may read, and no hash tells them of others. A value that looks like an
 * omitted one is treated as such: the log holds none but its own.
 */
export function keptSide(side: Side): Side {
  let parts = Object.entries(side).map(([name, value]) => partOf(name, value))
  const originals = new Map(parts.map((part) => [part.name, part]))
  parts = parts.map((part) => (omittedOf(part.value) === null ? part : omitted(part, true)))
  if (sizeOf(parts) <= mostBytes) return sideOf(parts)
  for (const hash of [true, false]) {
    for (const { name } of parts.toSorted((a, b) => b.bytes - a.bytes)) {
      if (sizeOf(parts) <= mostBytes) return sideOf(parts)
      const smaller = omitted(originals.get(name) as Part, hash)
      parts = parts.map((part) => (part.name === name && smaller.bytes < part.bytes ? smaller : part))
    }
  }
  return sideOf(parts)
}

function sideOf(parts: readonly Part[]): Side {
  return Object.fromEntries(parts.map(({ name, value }) => [name, value]))
}
