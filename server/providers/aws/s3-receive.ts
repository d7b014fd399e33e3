import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import { PartRefused, type PartTarget, type SendPart, type SentPart } from '#server/platform/network/sent-parts.ts'
import { awsUrl, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { inWords, s3Failure } from './s3-error.ts'

/** A part is sent well within it, and whoever gets hold of the URL later can do nothing with it. */
const urlSeconds = 900
const mostTries = 4
const firstPauseMs = 250

/** An object of a bucket. */
export type S3Where = { readonly Bucket: string; readonly Key: string }

/** An upload whose parts somebody else sends. */
interface Received {
  readonly parts: readonly SentPart[]
  readonly send: SendPart
  readonly signal: AbortSignal
}

/** Where a bucket is, and the keys to it. */
interface Place extends AwsKeys {
  readonly region: string
  /** Base URL of the store. */
  readonly endpoint: string
}

/** Stores an object that somebody else sends: all of it, or nothing. Returns its bytes. Nobody else gets the keys. */
export async function receive(
  s3: S3Client,
  place: Place,
  where: S3Where,
  { parts, send, signal }: Received,
): Promise<number> {
  const {
    AbortMultipartUploadCommand,
    CompleteMultipartUploadCommand,
    CreateMultipartUploadCommand,
    DeleteObjectCommand,
  } = await import('@aws-sdk/client-s3')
  signal.throwIfAborted()
  const about = { ...where, ChecksumAlgorithm: 'SHA256', ContentType: 'application/octet-stream' } as const
  const { UploadId } = await inWords('write', s3.send(new CreateMultipartUploadCommand(about)))
  if (UploadId === undefined) throw new Error('An upload without a name')
  try {
    const Parts = []
    for (const [at, part] of parts.entries()) {
      const number = at + 1
      const target = () => targetOf(place, where, { UploadId, number, part })
      const ETag = await sendOne(part, target, send, signal)
      Parts.push({ PartNumber: number, ETag, ChecksumSHA256: base64(part) })
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
    await s3.send(new AbortMultipartUploadCommand({ ...where, UploadId })).catch(() => undefined)
    // The answer to its end can be lost after it was carried out.
    await s3.send(new DeleteObjectCommand(where)).catch(() => undefined)
    signal.throwIfAborted()
    throw error
  }
}

/** Asks a store whether an object is what was sent; stores that keep no checksums compared that of each part when they received it. */
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

const base64 = ({ sha256 }: SentPart): string => Buffer.from(sha256, 'hex').toString('base64')

/** The store compares what arrives with the checksum, which is part of what is signed. */
async function targetOf(
  { endpoint, region, accessKey, secretKey }: Place,
  { Bucket, Key }: S3Where,
  { UploadId, number, part }: { readonly UploadId: string; readonly number: number; readonly part: SentPart },
): Promise<PartTarget> {
  const url = new URL(`${endpoint}/${Bucket}/${Key}`)
  url.searchParams.set('partNumber', String(number))
  url.searchParams.set('uploadId', UploadId)
  const headers = { 'x-amz-checksum-sha256': base64(part) }
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
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return await send(part, await target())
    } catch (error) {
      signal.throwIfAborted()
      // The first refusal can be of a URL that got old on its way.
      const isOld = error instanceof PartRefused && error.status === 403 && tries === 1
      const failure =
        error instanceof PartRefused ? s3Failure(error.code, error.status, 'write', error) : (error as Error)
      const canHelp = isOld || Reflect.get(failure, 'retryable') === true
      if (!canHelp || tries === mostTries) throw failure
    }
    await pause(firstPauseMs * 2 ** tries, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
