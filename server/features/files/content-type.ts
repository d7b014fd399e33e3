/** Detected type of a file's content. */
export interface ContentType {
  /** Uppercase, used as `file_type` of the document. */
  readonly label: string
  /** Extension of the stored name. */
  readonly ending: string
  /** MIME type it is served with. */
  readonly mime: string
}

const kind = (label: string, ending: string, mime: string): ContentType => ({ label, ending, mime })

const text = kind('TXT', 'txt', 'text/plain; charset=utf-8')
const unknown = kind('BIN', 'bin', 'application/octet-stream')

/** Magic bytes, `from` bytes from the start. */
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

/** Number of leading bytes that are inspected. */
export const sniffedBytes = 4096

/**
 * Detects the type from the first bytes; the name and declared type of an upload are ignored. Markup (SVG, HTML, XML) is
 * plain text.
 */
export function contentType(head: Buffer): ContentType {
  const known = signatures.find(({ bytes }) =>
    bytes.every(([from, latin1]) => head.subarray(from, from + latin1.length).equals(Buffer.from(latin1, 'latin1'))),
  )
  return known?.type ?? (isText(head) ? text : unknown)
}

/** Type that stored content is served with, by the extension it got on upload. */
export function typeOfEnding(ending: string): ContentType {
  return [...signatures.map(({ type }) => type), text].find((type) => type.ending === ending) ?? unknown
}

/** UTF-8 without control characters. The sample may end inside a character. */
function isText(head: Buffer): boolean {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(decoded)
  } catch {
    return false
  }
}
