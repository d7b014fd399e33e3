import { createHash } from 'node:crypto'
import { pipeline, Readable, Transform } from 'node:stream'
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { partBytes, type SendPart, type SentContent } from '#server/platform/network/sent-parts.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { ProviderError } from '../provider-error.ts'
import { inWords } from './s3-error.ts'
import { guardedHandler, type S3Network } from './s3-handler.ts'
import { assertStored, attempt, receive, type S3Where } from './s3-receive.ts'

/** A bucket and the keys to it. */
export interface S3Address {
  readonly name: string
  /** '': us-east-1. */
  readonly region: string
  /** Base URL of the store; null: AWS. */
  readonly endpoint: string | null
  readonly accessKey: string
  readonly secretKey: string
}

/** An object as a list shows it. `at`: when it was stored, in milliseconds since 1970. */
export interface S3Object {
  readonly key: string
  readonly bytes: number
  readonly at: number
}

/** A bucket of any S3-compatible store. Its errors are AppErrors with words for people. */
export interface S3Bucket {
  /** Stores content: all of it, or nothing. What the store received is compared with what was sent. Returns its bytes. */
  put(key: string, content: Readable, signal: AbortSignal): Promise<number>
  /** Whether others can send parts to the store: they can't if only this installation knows where that is. */
  readonly isKnown: boolean
  /** Has somebody else send a part that is not kept. Returns why that does not work; null if it does. */
  attempt(key: string, send: SendPart, signal: AbortSignal): Promise<string | null>
  /** Stores what somebody else sends in parts: all of it, or nothing. Returns its bytes. */
  receive(key: string, content: SentContent, signal: AbortSignal): Promise<number>
  /** Throws AppError `not_found` if there is no such object. Connections that break are made again. */
  get(key: string): Promise<Readable>
  /** Does nothing if it is not there. */
  remove(key: string): Promise<void>
  /** Objects whose keys begin with a prefix, in pages as they are read. */
  list(prefix: string): AsyncGenerator<S3Object>
  /** Ends uploads that began before a time and never went on: what they stored costs money and is in no list. */
  endUploads(prefix: string, before: number): Promise<number>
}

/** An upload has as many parts in memory. */
const partsAtOnce = 2
/** Statuses of stores that have no such list: they end such uploads by themselves. */
const unsupported: readonly number[] = [405, 501]
/** How often reading goes on after a connection that broke. */
const maxBreaks = 4

export const defaultRegion = 'us-east-1'

/** Base URL of the store of a bucket. `awsS3`: the operator's setting in place of AWS. */
export const s3Endpoint = (
  { endpoint, region }: Pick<S3Address, 'endpoint' | 'region'>,
  awsS3: string | null,
): string => trimEnd(endpoint ?? awsS3 ?? `https://s3.${region || defaultRegion}.amazonaws.com`, '/')

/** Opens a bucket. Nothing is connected or loaded yet. */
export function openS3Bucket(address: S3Address, network: S3Network): S3Bucket {
  const { name: Bucket } = address
  const endpoint = s3Endpoint(address, null)
  const place = { ...address, endpoint, region: address.region || defaultRegion }
  const client = (cut: AbortSignal | null = null) => openClient(address, network, cut)
  return {
    put: (key, content, signal) => put(client(signal), { Bucket, Key: key }, content, signal),
    get: async (key) => get(await client(), { Bucket, Key: key }),
    isKnown: !isMapped(endpoint, network),
    attempt: async (key, send, signal) => attempt(await client(), place, { Bucket, Key: key }, send, signal),
    receive: async (key, content, signal) => receive(await client(), place, { Bucket, Key: key }, content, signal),

    async remove(key) {
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3')
      await inWords('delete', (await client()).send(new DeleteObjectCommand({ Bucket, Key: key })))
    },

    async *list(prefix) {
      const { ListObjectsV2Command } = await import('@aws-sdk/client-s3')
      const s3 = await client()
      for (let token: string | undefined, more = true; more;) {
        const page = await inWords(
          'list',
          s3.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token })),
        )
        for (const { Key, Size, LastModified } of page.Contents ?? [])
          if (Key?.startsWith(prefix)) yield { key: Key, bytes: Size ?? 0, at: LastModified?.getTime() ?? Date.now() }
        more =
          page.IsTruncated === true && page.NextContinuationToken !== undefined && page.NextContinuationToken !== token
        token = page.NextContinuationToken
      }
    },

    async endUploads(prefix, before) {
      const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await import('@aws-sdk/client-s3')
      const s3 = await client()
      const { Uploads = [] } = await inWords(
        'list',
        s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix })),
      ).catch((error: unknown) => {
        if (error instanceof ProviderError && unsupported.includes(error.status)) return { Uploads: [] }
        throw error
      })
      let ended = 0
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (!Key?.startsWith(prefix) || (Initiated?.getTime() ?? before) >= before) continue
        await inWords('delete', s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })))
        ended += 1
      }
      return ended
    },
  }
}

/** Whether this installation reaches a store at an address of its own. */
function isMapped(endpoint: string, { addressMap = {} }: S3Network): boolean {
  const { hostname, port, protocol } = new URL(endpoint)
  return Object.hasOwn(addressMap, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`)
}

async function openClient(address: S3Address, network: S3Network, cut: AbortSignal | null): Promise<S3Client> {
  // Loaded on first use: it takes a tenth of a second and 25 MB.
  const { S3Client } = await import('@aws-sdk/client-s3')
  return new S3Client({
    region: address.region || defaultRegion,
    endpoint: s3Endpoint(address, null),
    credentials: { accessKeyId: address.accessKey, secretAccessKey: address.secretKey },
    // All S3-compatible stores support it.
    forcePathStyle: true,
    requestHandler: guardedHandler(network, cut),
    maxAttempts: 3,
    retryMode: 'standard',
    // We ask for SHA-256 ourselves; several stores reject the newer defaults.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Many stores and proxies do not answer before the body.
    expectContinueHeader: false,
    // Otherwise read from files and environment of whoever started the process.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    defaultsMode: 'standard',
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    userAgentAppId: 'easydash',
  })
}

async function put(
  opening: Promise<S3Client>,
  where: S3Where,
  content: Readable,
  signal: AbortSignal,
): Promise<number> {
  const [s3, { DeleteObjectCommand }, { Upload }] = await Promise.all([
    opening,
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
  ])
  const sums = partSums()
  const body = sums.stream
  let broken: Error | null = null
  pipeline(content, body, (error) => {
    broken = error ?? null
  })
  // The upload then fails, and takes back what it stored. Its own signal would not wait for that.
  const cut = () => body.destroy(signal.reason instanceof Error ? signal.reason : new Error('Aborted.'))
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  try {
    const upload = new Upload({
      client: s3,
      params: { ...where, Body: body, ChecksumAlgorithm: 'SHA256', ContentType: 'application/octet-stream' },
      partSize: partBytes,
      queueSize: partsAtOnce,
    })
    await inWords('write', upload.done())
    signal.throwIfAborted()
    const sent = sums.result()
    await assertStored(s3, where, sent)
    return sent.bytes
  } catch (error) {
    body.destroy()
    // The answer to an upload can be lost after it was carried out.
    await s3.send(new DeleteObjectCommand(where)).catch(() => undefined)
    signal.throwIfAborted()
    throw broken ?? error
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** Passes content on, and knows the checksum that a store makes of its parts. */
function partSums(): { stream: Transform; result(): { bytes: number; checksum: string } } {
  const whole: Buffer[] = []
  let [part, inPart, bytes] = [createHash('sha256'), 0, 0]
  const end = () => {
    whole.push(part.digest())
    ;[part, inPart] = [createHash('sha256'), 0]
  }
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length;) {
        if (inPart === partBytes) end()
        const piece = chunk.subarray(at, at + partBytes - inPart)
        part.update(piece)
        inPart += piece.length
        at += piece.length
      }
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return {
    stream,
    result() {
      end()
      const [first] = whole
      const isSingle = whole.length === 1 && first !== undefined
      const sum = isSingle ? first : createHash('sha256').update(Buffer.concat(whole)).digest()
      return { bytes, checksum: `${sum.toString('base64')}${isSingle ? '' : `-${whole.length}`}` }
    },
  }
}

async function get(s3: S3Client, where: S3Where): Promise<Readable> {
  const { GetObjectCommand } = await import('@aws-sdk/client-s3')
  const open = (more: { Range?: string; IfMatch?: string | undefined }) =>
    inWords('read', s3.send(new GetObjectCommand({ ...where, ...more })))
  const first = await open({})
  let current = contentOf(first)
  const read = async function* (): AsyncGenerator<Buffer> {
    let at = 0
    for (let breaks = 0; ; breaks += 1) {
      try {
        for await (const chunk of current as AsyncIterable<Buffer>) {
          at += chunk.length
          yield chunk
        }
        if (at === (first.ContentLength ?? at)) return
        throw new Error(`${at} bytes of ${first.ContentLength ?? 0}`)
      } catch (error) {
        if (breaks === maxBreaks)
          throw new AppError('unavailable', msg`The bucket’s store ended the connection.`, {
            retryable: true,
            cause: error,
          })
        // Of the same object: another one under its key is an error.
        const rest = await open({ Range: `bytes=${at}-`, IfMatch: first.ETag })
        current = contentOf(rest)
        if (rest.$metadata.httpStatusCode === 206) continue
        current.destroy()
        throw new AppError('unavailable', msg`The bucket’s store ended the connection.`, { cause: error })
      }
    }
  }
  const content = Readable.from(read(), { objectMode: false })
  // Who gives up before the first byte has never started the reading.
  content.once('close', () => current.destroy())
  return content
}

function contentOf({ Body }: GetObjectCommandOutput): Readable {
  if (!(Body instanceof Readable)) throw new Error('An object without content')
  return Body
}
