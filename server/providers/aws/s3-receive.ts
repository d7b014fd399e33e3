import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import {
  partOf,
  PartRefused,
  triedContent,
  type KeptUpload,
  type PartTarget,
  type SendPart,
  type SentContent,
  type SentPart,
} from '#server/platform/network/sent-parts.ts'
import { awsUrl, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { ProviderError } from '../provider-error.ts'
import { inWords, s3Failure, s3Vendor } from './s3-error.ts'

/** A part is sent well within it, and whoever gets hold of the URL later can do nothing with it. */
const urlSeconds = 900
/** Milliseconds before each further try: a network that is away for a moment comes back. */
const pauses: readonly number[] = [1_000, 4_000, 15_000, 60_000]

/** An object of a bucket. */
export type S3Where = { readonly Bucket: string; readonly Key: string }

/** Where a bucket is, and the keys to it. */
interface Place extends AwsKeys {
  readonly region: string
  /** Base URL of the store. */
  readonly endpoint: string
}

/**
 * Has somebody else send a part of an upload that is ended then, as they are going to send others. Returns why the store does not get it; null if it does.
 * Throws AppError for what it answers us.
 */
export async function attempt(
  s3: S3Client,
  place: Place,
  where: S3Where,
  send: SendPart,
  signal: AbortSignal,
): Promise<string | null> {
  const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = await import('@aws-sdk/client-s3')
  signal.throwIfAborted()
  const { UploadId } = await inWords(
    'write',
    s3.send(new CreateMultipartUploadCommand({ ...where, ChecksumAlgorithm: 'SHA256' })),
  )
  if (UploadId === undefined) throw new Error('An upload without a name')
  const part = partOf(Buffer.from(triedContent))
  const once = async () => send(part, await targetOf(place, where, { UploadId, number: 1, part }))
  try {
    await once().catch(() => {
      signal.throwIfAborted()
      return once()
    })
    return null
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof Error ? error.message : String(error)
  } finally {
    await s3.send(new AbortMultipartUploadCommand({ ...where, UploadId })).catch(() => undefined)
  }
}

/** Stores an object that somebody else sends: all of it, or nothing. Returns its bytes. Nobody else gets the keys. */
export async function receive(
  s3: S3Client,
  place: Place,
  where: S3Where,
  { parts, send, upload }: SentContent,
  signal: AbortSignal,
): Promise<number> {
  const { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, DeleteObjectCommand } =
    await import('@aws-sdk/client-s3')
  signal.throwIfAborted()
  const { UploadId, there } = await openUpload(s3, where, parts, upload)
  try {
    const Parts = []
    for (const [at, part] of parts.entries()) {
      const number = at + 1
      const target = () => targetOf(place, where, { UploadId, number, part })
      const ETag = there.get(number) ?? (await sendOne(part, target, send, signal))
      Parts.push({ PartNumber: number, ETag, ChecksumSHA256: base64(part.sha256) })
    }
    signal.throwIfAborted()
    await inWords(
      'write',
      s3.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts } })),
    )
    const sums = Buffer.concat(parts.map(({ sha256 }) => Buffer.from(sha256, 'hex')))
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    const checksum = `${createHash('sha256').update(sums).digest('base64')}-${parts.length}`
    await assertStored(s3, where, { bytes, checksum })
    return bytes
  } catch (error) {
    if (signal.aborted && upload.staysFor(signal.reason)) throw error
    await s3.send(new AbortMultipartUploadCommand({ ...where, UploadId })).catch(() => undefined)
    // The answer to its end can be lost after it was carried out.
    await s3.send(new DeleteObjectCommand(where)).catch(() => undefined)
    signal.throwIfAborted()
    throw error
  }
}

/** The upload that was begun before, with the ETags of the parts that need not be sent again; a new one if that is not there any more. */
async function openUpload(
  s3: S3Client,
  where: S3Where,
  parts: readonly SentPart[],
  { begun, keep, found }: KeptUpload,
): Promise<{ UploadId: string; there: ReadonlyMap<number, string> }> {
  const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = await import('@aws-sdk/client-s3')
  if (begun !== null)
    try {
      const there = await partsThere(s3, { ...where, UploadId: begun }, parts)
      found(there.size)
      return { UploadId: begun, there }
    } catch (error) {
      if (Reflect.get(error as Error, 'retryable') === true) throw error
      // It was ended, or these keys can't list its parts.
      await s3.send(new AbortMultipartUploadCommand({ ...where, UploadId: begun })).catch(() => undefined)
    }
  const about = { ...where, ChecksumAlgorithm: 'SHA256', ContentType: 'application/octet-stream' } as const
  const { UploadId } = await inWords('write', s3.send(new CreateMultipartUploadCommand(about)))
  if (UploadId === undefined) throw new Error('An upload without a name')
  keep(UploadId)
  return { UploadId, there: new Map() }
}

/** ETags of the parts of an upload that are what is to be sent, by number. */
async function partsThere(
  s3: S3Client,
  upload: S3Where & { readonly UploadId: string },
  parts: readonly SentPart[],
): Promise<ReadonlyMap<number, string>> {
  const { ListPartsCommand } = await import('@aws-sdk/client-s3')
  const there = new Map<number, string>()
  for (let marker: string | undefined, more = true; more;) {
    const page = await inWords('list', s3.send(new ListPartsCommand({ ...upload, PartNumberMarker: marker })))
    for (const { PartNumber = 0, Size, ETag, ChecksumSHA256 } of page.Parts ?? []) {
      const part = parts[PartNumber - 1]
      if (part === undefined || ETag === undefined || Size !== part.bytes) continue
      // A store that encrypts has ETags that say nothing: without a checksum it gets the part again.
      const isSame = ChecksumSHA256 ? ChecksumSHA256 === base64(part.sha256) : ETag.replaceAll('"', '') === part.md5
      if (isSame) there.set(PartNumber, ETag)
    }
    const next = page.NextPartNumberMarker
    more = page.IsTruncated === true && next !== undefined && next !== marker
    marker = next
  }
  return there
}

/**
 * Asks a store whether an object is what was sent. Stores that keep no checksums compared the MD5 of each part when they received it, which clients send
 * them in any case.
 */
export async function assertStored(
  s3: S3Client,
  where: S3Where,
  { bytes, checksum }: { readonly bytes: number; readonly checksum: string },
): Promise<void> {
  const { HeadObjectCommand } = await import('@aws-sdk/client-s3')
  const head = await inWords('read', s3.send(new HeadObjectCommand({ ...where, ChecksumMode: 'ENABLED' })))
  const found = head.ChecksumSHA256
  if (head.ContentLength === bytes && (found === undefined || found === checksum)) return
  throw new AppError('unavailable', msg`What the bucket has is not what was sent.`, {
    retryable: true,
    nextAction: msg`Try again.`,
    cause: new Error(`${head.ContentLength ?? 0} bytes, ${String(found)} instead of ${bytes} bytes, ${checksum}`),
  })
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** The store compares what arrives with the checksums, which are part of what is signed; those that do not know SHA-256 know MD5. */
async function targetOf(
  { endpoint, region, accessKey, secretKey }: Place,
  { Bucket, Key }: S3Where,
  { UploadId, number, part }: { readonly UploadId: string; readonly number: number; readonly part: SentPart },
): Promise<PartTarget> {
  const url = new URL(`${endpoint}/${Bucket}/${Key}`)
  url.searchParams.set('partNumber', String(number))
  url.searchParams.set('uploadId', UploadId)
  const headers = { 'x-amz-checksum-sha256': base64(part.sha256), 'content-md5': base64(part.md5) }
  const request = { method: 'PUT', url, region, service: 's3', headers } as const
  const signed = await awsUrl(request, { accessKey, secretKey }, new Date(), urlSeconds)
  return { number, url: signed, headers }
}

/** Has a part sent, again with a fresh URL if that can help. */
async function sendOne(
  part: SentPart,
  target: () => Promise<PartTarget>,
  send: SendPart,
  signal: AbortSignal,
): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await send(part, await target())
    } catch (error) {
      signal.throwIfAborted()
      const failure = error instanceof PartRefused ? refused(error) : (error as Error)
      // The first refusal can be of a URL that got old, or of content that changed, on its way. No pause helps against the second.
      const isRefused = error instanceof PartRefused && (error.status === 400 || error.status === 403)
      const canHelp = Reflect.get(failure, 'retryable') === true || (isRefused && error.status === 403)
      if (!canHelp || tries === (isRefused ? 1 : pauses.length)) throw failure
    }
    await pause(pauses[tries], undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** What the refusal of a part means. The keys began the upload, so it is not they that may not. */
function refused(cause: PartRefused): Error {
  const { code, status } = cause
  if (code === 'NoSuchUpload')
    return new AppError('unavailable', msg`The store ended the upload before all of it was there.`, {
      nextAction: msg`Back the site up again. If it happens again, look at the rules of the bucket that end uploads.`,
      cause,
    })
  const failure = s3Failure(code, status, 'write', cause)
  if (failure.kind !== 'wrong_scope') return failure
  return new ProviderError('wrong_scope', {
    ...{ vendor: s3Vendor, status, vendorCode: code, cause },
    message: msg`The store does not take from the server what it takes from Easydash (${status}).`,
    nextAction: msg`Allow the address of the server where the keys or the bucket are limited to addresses.`,
  })
}
