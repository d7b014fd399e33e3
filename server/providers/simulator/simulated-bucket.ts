import { createHash } from 'node:crypto'
import type { AwsKeys } from '#server/platform/network/aws-signature.ts'
import {
  answer,
  joined,
  listParts,
  listUploads,
  newObject,
  noUpload,
  refusal,
  sumOf,
  type OpenUpload,
  type StoredObject,
} from './bucket-objects.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import { signatureOf } from './s3-signature.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** What keys may do with the objects of the bucket. */
export type BucketRight = 'write' | 'read' | 'list' | 'delete'

export interface BucketOptions {
  readonly name: string
  readonly region: string
  /** Without `rights` they may do everything. */
  readonly keys: readonly (AwsKeys & { readonly rights?: readonly BucketRight[] })[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Most entries of a page. Default: 1,000, as at AWS. */
  readonly pageLimit?: number
}

/** What can change while it runs. */
export interface BucketState {
  readonly objects: Map<string, StoredObject>
  readonly uploads: Map<string, OpenUpload>
  /** Whether anyone can read it. */
  isPublic: boolean
  versions: 'Enabled' | 'Suspended' | null
  /** Object lock: nothing is deleted. */
  isLocked: boolean
  /** Of all objects and parts together. */
  capacity: number
}

interface Call extends BucketOptions {
  readonly state: BucketState
  readonly request: ReceivedRequest
  readonly key: string
  readonly query: URLSearchParams
  readonly effect: 'lag' | 'fail_later' | null
}

/** An S3-compatible store with one bucket, addressed by path. It checks the signature of every request, and the checksums of its content. */
export function simulatedBucket(options: BucketOptions): SimulatedVendor & { readonly state: BucketState } {
  const state: BucketState = {
    objects: new Map(),
    uploads: new Map(),
    isPublic: false,
    versions: null,
    isLocked: false,
    capacity: Number.POSITIVE_INFINITY,
  }
  return { state, errorOf, respond: async (request, effect) => respond({ ...options, state, request, effect }) }
}

function errorOf({ kind, retryAfterSeconds: wait }: Fault): SimulatedResponse {
  if (kind === 'quota') return refusal(403, 'QuotaExceeded', 'The quota of the bucket is exceeded.')
  if (kind !== 'rate_limit') return refusal(500, 'InternalError', 'We encountered an internal error. Please try again.')
  return {
    ...refusal(503, 'SlowDown', 'Please reduce your request rate.'),
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  }
}

function respond(given: Omit<Call, 'key' | 'query'>): SimulatedResponse | null {
  const { request, name, region } = given
  const url = new URL(request.path, 'http://store')
  const [, bucket = '', key = ''] = /^\/([^/]+)(?:\/(.*))?$/s.exec(url.pathname) ?? []
  const call: Call = { ...given, key: decodeURIComponent(key), query: url.searchParams }
  const signature = signatureOf(request)
  const keys = given.keys.find(({ accessKey }) => accessKey === signature?.accessKey)
  const right = rightFor(call)
  if (!signature && !(given.state.isPublic && (right === 'read' || right === 'list'))) return deniedAccess()
  if (signature && !keys)
    return refusal(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  if (signature && keys && !given.keys.some((one) => one.accessKey === keys.accessKey && signature.isBy(one.secretKey)))
    return refusal(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    )
  if (signature?.until != null && signature.until < given.now())
    return refusal(403, 'AccessDenied', 'Request has expired')
  if (signature && signature.region !== region)
    return refusal(
      400,
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; the region '${signature.region}' is wrong; expecting '${region}'`,
      { Region: region },
    )
  if (bucket !== name)
    return refusal(404, 'NoSuchBucket', 'The specified bucket does not exist', { BucketName: bucket })
  const signer = given.keys.find((one) => signature?.isBy(one.secretKey))
  if (signer?.rights && (right === null || !signer.rights.includes(right))) return deniedAccess()
  return key === '' ? respondBucket(call) : respondObject(call)
}

const deniedAccess = () => refusal(403, 'AccessDenied', 'Access Denied')

/** Null: that of administrators of the bucket. */
function rightFor({ request: { method }, key, query }: Call): BucketRight | null {
  if (key === '') return query.has('list-type') || query.has('uploads') ? 'list' : null
  if (method === 'GET' || method === 'HEAD') return 'read'
  // Ending an upload comes with writing (s3:AbortMultipartUpload).
  return method === 'DELETE' && !query.has('uploadId') ? 'delete' : 'write'
}

function respondBucket(call: Call): SimulatedResponse | null {
  const { request, query, state } = call
  if (request.method !== 'GET') return null
  if (query.has('versioning'))
    return answer('VersioningConfiguration', state.versions ? { Status: state.versions } : {})
  if (query.has('policyStatus')) return answer('PolicyStatus', { IsPublic: state.isPublic })
  if (query.has('uploads')) return listUploads(call)
  return query.get('list-type') === '2' ? listObjects(call) : null
}

function listObjects({ state, query, name, effect, now, pageLimit = 1_000 }: Call): SimulatedResponse {
  const prefix = query.get('prefix') ?? ''
  const limit = Math.min(Number(query.get('max-keys') ?? pageLimit), pageLimit)
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString('utf8')
  const all = [...state.objects]
    .filter(([key, { at }]) => key.startsWith(prefix) && key > after && (effect !== 'lag' || at < now() - 60_000))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const page = all.slice(0, limit)
  const more = all.length > page.length
  return answer('ListBucketResult', {
    Name: name,
    Prefix: prefix,
    KeyCount: page.length,
    MaxKeys: limit,
    IsTruncated: more,
    ...(more && { NextContinuationToken: Buffer.from(page.at(-1)?.[0] ?? '').toString('base64') }),
    Contents: page.map(([key, { etag, content, at }]) => ({
      Key: key,
      LastModified: new Date(at).toISOString(),
      ETag: etag,
      Size: content.length,
      StorageClass: 'STANDARD',
    })),
  })
}

function respondObject(call: Call): SimulatedResponse | null {
  const { request, query } = call
  const upload = query.get('uploadId')
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return upload === null ? getObject(call) : listParts(call, upload)
    case 'PUT':
      return upload === null ? putObject(call) : putPart(call, upload)
    case 'DELETE':
      return upload === null ? deleteObject(call) : endUpload(call, upload)
    case 'POST':
      return query.has('uploads') ? beginUpload(call) : upload === null ? null : completeUpload(call, upload)
    default:
      return null
  }
}

function getObject({ state, request: { method, headers }, key }: Call): SimulatedResponse {
  const found = state.objects.get(key)
  if (!found)
    return method === 'HEAD'
      ? { status: 404, body: null }
      : refusal(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key })
  const wanted = headers['if-match']
  if (wanted !== undefined && wanted !== found.etag)
    return refusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
  const [, start] = /^bytes=(\d+)-$/.exec(String(headers['range'] ?? '')) ?? []
  const from = Number(start ?? 0)
  if (start !== undefined && from >= found.content.length)
    return refusal(416, 'InvalidRange', 'The requested range is not satisfiable')
  const content = found.content.subarray(from)
  return {
    status: start === undefined ? 200 : 206,
    type: 'application/octet-stream',
    body: method === 'HEAD' ? '' : content,
    headers: {
      etag: found.etag,
      'content-length': String(content.length),
      'last-modified': new Date(found.at).toUTCString(),
      'accept-ranges': 'bytes',
      ...(start !== undefined && {
        'content-range': `bytes ${from}-${found.content.length - 1}/${found.content.length}`,
      }),
      ...(headers['x-amz-checksum-mode'] === 'ENABLED' &&
        start === undefined && {
          'x-amz-checksum-sha256': found.checksum,
          'x-amz-checksum-type': found.checksum.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT',
        }),
    },
  }
}

/** What was received, as the store keeps it, or why not. */
function received({
  state,
  request: { headers, raw = Buffer.alloc(0) },
  effect,
  now,
}: Call): StoredObject | SimulatedResponse {
  const sum = headers['x-amz-checksum-sha256']
  if (sum !== undefined && sum !== sumOf(raw))
    return refusal(400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.')
  const md5 = headers['content-md5']
  if (md5 !== undefined && md5 !== createHash('md5').update(raw).digest('base64'))
    return refusal(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.')
  const parts = [...state.uploads.values()].flatMap((upload) => [...upload.parts.values()])
  const used = [...state.objects.values(), ...parts].reduce((bytes, { content }) => bytes + content.length, 0)
  if (used + raw.length > state.capacity) return refusal(403, 'QuotaExceeded', 'The quota of the bucket is exceeded.')
  const content = Buffer.from(raw)
  // A bad disk: what was received was right.
  if (effect === 'fail_later') content[0] = (content[0] ?? 0) ^ 1
  return newObject(content, now())
}

const stored = ({ etag, checksum }: StoredObject): SimulatedResponse => ({
  status: 200,
  type: 'application/xml',
  body: '',
  headers: { etag, 'x-amz-checksum-sha256': checksum },
})

function putObject(call: Call): SimulatedResponse {
  const made = received(call)
  if ('status' in made) return made
  call.state.objects.set(call.key, made)
  return stored(made)
}

function deleteObject({ state, key }: Call): SimulatedResponse {
  if (state.isLocked && state.objects.has(key))
    return refusal(403, 'AccessDenied', 'Access Denied because object protected by object lock.')
  state.objects.delete(key)
  return { status: 204, body: null }
}

function beginUpload({ state, key, name, now }: Call): SimulatedResponse {
  const id = `upload-${now()}-${state.uploads.size}-${key.length}`
  state.uploads.set(id, { key, at: now(), parts: new Map() })
  return answer('InitiateMultipartUploadResult', { Bucket: name, Key: key, UploadId: id })
}

function putPart(call: Call, id: string): SimulatedResponse {
  const upload = call.state.uploads.get(id)
  if (!upload || upload.key !== call.key) return noUpload()
  const made = received(call)
  if ('status' in made) return made
  upload.parts.set(Number(call.query.get('partNumber')), made)
  return stored(made)
}

function endUpload({ state }: Call, id: string): SimulatedResponse {
  return state.uploads.delete(id) ? { status: 204, body: null } : noUpload()
}

const smallestPart = 5 * 1024 * 1024

function completeUpload({ state, request, key, name, now }: Call, id: string): SimulatedResponse {
  const upload = state.uploads.get(id)
  if (!upload || upload.key !== key) return noUpload()
  const listed = [...request.body.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    etag: /<ETag>(.*?)<\/ETag>/.exec(part)?.[1]?.replaceAll('&quot;', '"'),
    sum: /<ChecksumSHA256>(.*?)<\/ChecksumSHA256>/.exec(part)?.[1],
    number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
  }))
  const parts = listed.flatMap(({ number }) => upload.parts.get(number) ?? [])
  const isRight = listed.every(
    ({ etag, sum }, at) => etag === parts[at]?.etag && (sum === undefined || sum === parts[at]?.checksum),
  )
  if (listed.length === 0 || parts.length !== listed.length || !isRight)
    return refusal(400, 'InvalidPart', 'One or more of the specified parts could not be found.')
  if (parts.slice(0, -1).some(({ content }) => content.length < smallestPart))
    return refusal(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  const made = joined(parts, now())
  state.uploads.delete(id)
  state.objects.set(key, made)
  return answer('CompleteMultipartUploadResult', {
    Bucket: name,
    Key: key,
    ETag: made.etag,
    ChecksumSHA256: made.checksum,
  })
}
