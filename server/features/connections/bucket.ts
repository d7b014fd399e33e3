import { randomUUID } from 'node:crypto'
import { awsHeaders } from '#server/platform/network/aws-signature.ts'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { awsCode } from '#server/providers/aws/aws-error.ts'
import { defaultRegion, s3Endpoint } from '#server/providers/aws/s3-bucket.ts'
import { s3Failure, s3Vendor, type S3Step } from '#server/providers/aws/s3-error.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import {
  failureResult,
  successResult,
  unexpectedResult,
  type ConnectionTestResult,
  type ConnectionTest,
  type ConnectionTestContext,
  type ConnectionValues,
} from './connection-test.ts'

const content = 'Written by a test of the connection; it can be deleted.'

/** Bucket names as AWS allows them, plus the capitals and underscores of older and other stores. */
const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
/** The region becomes part of a host name. */
const regionName = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Writes, reads, lists and deletes one small object, as backups do, and looks who else can. */
export const bucket: ConnectionTest = {
  name: 'bucket',
  vendor: s3Vendor,
  fields: connectionFields.bucket,
  required: ['bucket_name', 'bucket_access_key', 'bucket_secret_key'],
  destination: { field: 'bucket_endpoint', secrets: ['bucket_access_key', 'bucket_secret_key'] },
  async run(values, context) {
    const name = values['bucket_name'] ?? ''
    if (!bucketName.test(name))
      return enter(msg`This is no name of a bucket.`, msg`Enter the name alone, without address or path.`)
    if (values['bucket_region'] && !regionName.test(values['bucket_region']))
      return enter(msg`This is no name of a region.`, msg`Enter its short name, e.g. eu-central-1.`)
    const key = `easydash/test-${randomUUID()}`
    const send = (method: Method, path: string, signed = true) => sendTo(method, path, { values, context, signed })
    const written = await send('PUT', key)
    if (written.status !== 200) return failedStep(written, 'write')
    // Deleted even if one of these fails or throws, so that nothing is left behind where possible.
    const looks = await Promise.allSettled([
      send('GET', key),
      send('GET', `?list-type=2&max-keys=1&prefix=${encodeURIComponent(key)}`),
      send('GET', key, false),
      send('GET', '?list-type=2&max-keys=1', false),
      send('GET', '?policyStatus'),
      send('GET', '?versioning'),
    ])
    const removed = await send('DELETE', key)
    const [read, listed, ...others] = looks
    if (read?.status !== 'fulfilled') throw read?.reason
    if (listed?.status !== 'fulfilled') throw listed?.reason
    return bucketResult({
      ...{ name, key, read: read.value, listed: listed.value, removed },
      // Many stores have no answer to these.
      others: others.map((look) => (look.status === 'fulfilled' ? look.value : null)),
    })
  },
}

interface Seen {
  readonly name: string
  readonly key: string
  readonly read: FetchResponse
  readonly listed: FetchResponse
  readonly removed: FetchResponse
  /** Read and listed by nobody in particular, whether its policy makes it public, whether it keeps versions. */
  readonly others: readonly (FetchResponse | null)[]
}

function bucketResult({ name, key, read, listed, removed, others }: Seen): ConnectionTestResult {
  const [openRead, openList, policy, versioning] = others
  if (read.status !== 200) return failedStep(read, 'read')
  if (read.body.toString('utf8') !== content) {
    return {
      outcome: 'unexpected',
      message: msg`The data read from the bucket differs from the data written.`,
      advice: msg`Check that the address is the store’s own, not a cache in front of it.`,
      status: read.status,
    }
  }
  if (listed.status !== 200) return failedStep(listed, 'list')
  if (!textOf(listed).includes(`<Key>${key}</Key>`)) return unexpectedResult({ vendor: s3Vendor }, listed)
  if (removed.status >= 300) return failedStep(removed, 'delete')
  const isPublic =
    (openRead?.status === 200 && openRead.body.toString('utf8') === content) ||
    (openList?.status === 200 && textOf(openList).includes('<ListBucketResult')) ||
    (policy?.status === 200 && /<IsPublic>\s*true\s*</i.test(textOf(policy)))
  if (isPublic)
    return {
      outcome: 'unexpected',
      message: msg`The keys work, but the bucket is public: anyone can read or list what is in it.`,
      advice: msg`Block public access to the bucket at its store. Backups are encrypted, their names and sizes are not.`,
      status: 200,
    }
  const keepsVersions = versioning?.status === 200 && /<Status>\s*Enabled\s*</.test(textOf(versioning))
  return {
    ...successResult(msg`The keys work: an object was written to ${name}, read again, listed and deleted.`, read),
    advice: keepsVersions
      ? msg`The bucket keeps versions: deleted backups go on taking room until a lifecycle rule of the bucket removes old versions.`
      : null,
  }
}

const textOf = ({ body }: FetchResponse) => body.toString('utf8')

const enter = (message: LocalizedMessage, advice: LocalizedMessage): ConnectionTestResult => ({
  outcome: 'missing',
  message,
  advice,
  status: null,
})

type Method = 'PUT' | 'GET' | 'DELETE'

/** `path`: key of an object, or parameters of the bucket. */
async function sendTo(
  method: Method,
  path: string,
  { values, context, signed }: { values: ConnectionValues; context: ConnectionTestContext; signed: boolean },
): Promise<FetchResponse> {
  const region = values['bucket_region'] || defaultRegion
  const own = values['bucket_endpoint'] || null
  // Path-style address: all S3-compatible stores support it.
  const base = `${s3Endpoint({ endpoint: own, region }, context.endpoints.awsS3)}/${values['bucket_name']}`
  const url = new URL(path.startsWith('?') ? `${base}${path}` : `${base}/${path}`)
  const body = method === 'PUT' ? content : undefined
  const keys = { accessKey: values['bucket_access_key'] ?? '', secretKey: values['bucket_secret_key'] ?? '' }
  const headers = signed
    ? await awsHeaders({ method, url, region, service: 's3', ...(body !== undefined && { body }) }, keys, context.now())
    : {}
  return context.ask(url, { method, headers, tenant: own !== null, ...(body !== undefined && { body }) })
}

function failedStep(response: FetchResponse, step: S3Step): ConnectionTestResult {
  const error = s3Failure(awsCode(response), response.status, step, { headers: response.headers })
  const found = failureResult(error)
  // The advice for keys and limits is that of all tests.
  if (error.kind === 'wrong_key' || error.kind === 'rate_limited') return found
  return { ...found, message: error.localized, advice: error.nextAction ?? null }
}
