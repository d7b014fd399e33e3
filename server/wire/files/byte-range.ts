import type { ByteRange } from '#server/contracts/files.ts'

/**
 * The range of bytes that a `Range` header asks for, of `size` bytes (RFC 9110, sections 14.1.2 and 14.2). Null means the
 * whole: without a header, for other units, for several ranges (which a server may answer with the whole), and where it is
 * malformed. `unsatisfiable` if nothing of it exists.
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  const isSuffix = first === ''
  if (!isSuffix && last !== '' && Number(last) < Number(first)) return null
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first)
  const end = isSuffix || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end ? 'unsatisfiable' : { start, end }
}
