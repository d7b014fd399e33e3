/** What a file's content turned out to be. */
export interface ContentType {
  /** Upper case, as `file_type` of the document. */
  readonly label: string
  /** Ending of the stored name. */
  readonly ending: string
  /** As it is served. */
  readonly mime: string
}

const kind = (label: string, ending: string, mime: string): ContentType => ({ label, ending, mime })

const text = kind('TXT', 'txt', 'text/plain; charset=utf-8')
const unknown = kind('BIN', 'bin', 'application/octet-stream')

/** Bytes at the beginning (`from` bytes in) that only files of the kind have. */
const signatures: readonly { type: ContentType; bytes: readonly [from: number, latin1: string][] }[] = [
  { type: kind('PNG', 'png', 'image/png'), bytes: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: kind('JPEG', 'jpg', 'image/jpeg'), bytes: [[0, '\xff\xd8\xff']] },
  { type: kind('GIF', 'gif', 'image/gif'), bytes: [[0, 'GIF87a']] },
  { type: kind('GIF', 'gif', 'image/gif'), bytes: [[0, 'GIF89a']] },
  {
    type: kind('WEBP', 'webp', 'image/webp'),
    bytes: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { type: kind('AVIF', 'avif', 'image/avif'), bytes: [[4, 'ftypavif']] },
  { type: kind('PDF', 'pdf', 'application/pdf'), bytes: [[0, '%PDF-']] },
  { type: kind('ZIP', 'zip', 'application/zip'), bytes: [[0, 'PK\x03\x04']] },
  { type: kind('GZ', 'gz', 'application/gzip'), bytes: [[0, '\x1f\x8b\x08']] },
]

/** How many bytes of the beginning are looked at. */
export const sniffedBytes = 4096

/**
 * Finds the type from the first bytes; name and declared type of an upload are not asked. Markup (SVG, HTML, XML) is
 * text and nothing more.
 */
export function contentType(head: Buffer): ContentType {
  const known = signatures.find(({ bytes }) =>
    bytes.every(([from, latin1]) => head.subarray(from, from + latin1.length).equals(Buffer.from(latin1, 'latin1'))),
  )
  return known?.type ?? (isText(head) ? text : unknown)
}

/** How a stored content is served, by the ending it was given when it came in. */
export function typeOfEnding(ending: string): ContentType {
  return [...signatures.map(({ type }) => type), text].find((type) => type.ending === ending) ?? unknown
}

/** UTF-8 without control characters. The beginning may end inside a character. */
function isText(head: Buffer): boolean {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(decoded)
  } catch {
    return false
  }
}
