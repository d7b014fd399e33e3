/** What a simulated bucket holds, and how S3 words it. */
import { createHash } from 'node:crypto'
import type { SimulatedResponse } from './simulated-vendor.ts'

export interface StoredObject {
  readonly content: Buffer
  readonly etag: string
  /** As the store says it: of the content, or of the sums of its parts. */
  readonly checksum: string
  readonly at: number
}

export interface OpenUpload {
  readonly key: string
  readonly at: number
  readonly parts: Map<number, StoredObject>
}

export const sumOf = (content: Buffer) => createHash('sha256').update(content).digest('base64')

export const newObject = (content: Buffer, at: number): StoredObject => ({
  content,
  etag: `"${createHash('md5').update(content).digest('hex')}"`,
  checksum: sumOf(content),
  at,
})

/** The object that parts make, with the checksum of their checksums. */
export function joined(parts: readonly StoredObject[], at: number): StoredObject {
  const sums = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, 'base64')))
  const made = newObject(Buffer.concat(parts.map(({ content }) => content)), at)
  return {
    ...made,
    etag: `${made.etag.slice(0, -1)}-${parts.length}"`,
    checksum: `${sumOf(sums)}-${parts.length}`,
  }
}

/** An error of S3. */
export const refusal = (
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xml({ Code: code, Message: message, ...more, RequestId: '4442587FB7D0A2F9' })}</Error>`,
})

export type Xml = string | number | boolean | readonly Xml[] | { readonly [field: string]: Xml }

/** An answer; lists are repeated elements. */
export const answer = (root: string, content: Readonly<Record<string, Xml>>): SimulatedResponse => ({
  status: 200,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${xml(content)}</${root}>`,
})

function xml(content: Xml): string {
  if (typeof content !== 'object') return String(content).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return Object.entries(content)
    .flatMap(([name, value]: [string, Xml]) =>
      (Array.isArray(value) ? value : [value]).map((one: Xml) => `<${name}>${xml(one)}</${name}>`),
    )
    .join('')
}

export const noUpload = () => refusal(404, 'NoSuchUpload', 'The specified upload does not exist.')

interface Listing {
  readonly state: { readonly uploads: ReadonlyMap<string, OpenUpload> }
  readonly query: URLSearchParams
}

export function listUploads({ state, query, name }: Listing & { readonly name: string }): SimulatedResponse {
  const prefix = query.get('prefix') ?? ''
  return answer('ListMultipartUploadsResult', {
    Bucket: name,
    Prefix: prefix,
    IsTruncated: false,
    Upload: [...state.uploads]
      .filter(([, { key }]) => key.startsWith(prefix))
      .map(([id, { key, at }]) => ({ Key: key, UploadId: id, Initiated: new Date(at).toISOString() })),
  })
}

/** A page of the parts of an upload. */
export function listParts(
  {
    state: { uploads },
    query,
    key,
    pageLimit = 1_000,
  }: Listing & { readonly key: string; readonly pageLimit?: number },
  id: string,
): SimulatedResponse {
  const upload = uploads.get(id)
  if (!upload || upload.key !== key) return noUpload()
  const after = Number(query.get('part-number-marker') ?? 0)
  const all = [...upload.parts].filter(([number]) => number > after).toSorted(([a], [b]) => a - b)
  const page = all.slice(0, pageLimit)
  return answer('ListPartsResult', {
    Key: key,
    UploadId: id,
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.[0] ?? 0,
    MaxParts: pageLimit,
    IsTruncated: all.length > page.length,
    Part: page.map(([number, { etag, content, checksum, at }]) => ({
      PartNumber: number,
      LastModified: new Date(at).toISOString(),
      ETag: etag,
      Size: content.length,
      ChecksumSHA256: checksum,
    })),
  })
}
