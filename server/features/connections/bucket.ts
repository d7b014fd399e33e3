import { randomUUID } from 'node:crypto'
import { awsHeaders } from '#server/platform/network/aws-signature.ts'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { awsCode, awsFailure } from '#server/providers/aws/aws-error.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import {
  failureResult,
  successResult,
  type ConnectionTestResult,
  type ConnectionTest,
  type ConnectionTestContext,
  type ConnectionValues,
} from './connection-test.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

const content = 'Written by a test of the connection; it can be deleted.'

/** Bucket names as AWS allows them, plus the capitals and underscores of older and other stores. */
const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
/** The region becomes part of a host name. */
const regionName = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Writes, reads and deletes one small object, as backups will do. */
export const bucket: ConnectionTest = {
  name: 'bucket',
  vendor: msg`The bucket’s store`,
  fields: connectionFields.bucket,
  required: ['bucket_name', 'bucket_access_key', 'bucket_secret_key'],
  destination: { field: 'bucket_endpoint', secrets: ['bucket_access_key', 'bucket_secret_key'] },
  async run(values, context) {
    const name = values['bucket_name'] ?? ''
    if (!bucketName.test(name))
      return enter(msg`This is no name of a bucket.`, msg`Enter the name alone, without address or path.`)
    if (values['bucket_region'] && !regionName.test(values['bucket_region']))
      return enter(msg`This is no name of a region.`, msg`Enter its short name, e.g. eu-central-1.`)
    const key = `easydash-test-${randomUUID()}`
    const written = await send('PUT', key, values, context)
    if (written.status !== 200) return failedStep(written, 'write')
    // Deleted even if reading fails or throws, so that nothing is left behind where possible.
    const [read] = await Promise.allSettled([send('GET', key, values, context)])
    const removed = await send('DELETE', key, values, context)
    if (read.status === 'rejected') throw read.reason
    return bucketResult(name, read.value, removed)
  },
}

function bucketResult(name: string, read: FetchResponse, removed: FetchResponse): ConnectionTestResult {
  if (read.status !== 200) return failedStep(read, 'read')
  if (read.body.toString('utf8') !== content) {
    return {
      outcome: 'unexpected',
      message: msg`The data read from the bucket differs from the data written.`,
      advice: msg`Check that the address is the store’s own, not a cache in front of it.`,
      status: read.status,
    }
  }
  if (removed.status >= 300) return failedStep(removed, 'delete')
  return successResult(msg`The keys work: an object was written to ${name}, read again and deleted.`, read)
}

const enter = (message: LocalizedMessage, advice: LocalizedMessage): ConnectionTestResult => ({
  outcome: 'missing',
  message,
  advice,
  status: null,
})

async function send(
  method: 'PUT' | 'GET' | 'DELETE',
  key: string,
  values: ConnectionValues,
  context: ConnectionTestContext,
): Promise<FetchResponse> {
  const region = values['bucket_region'] || 'us-east-1'
  const own = values['bucket_endpoint']
  const base = trimEnd(own || context.endpoints.awsS3 || `https://s3.${region}.amazonaws.com`, '/')
  // Path-style address: all S3-compatible stores support it.
  const url = new URL(`${base}/${values['bucket_name']}/${key}`)
  const body = method === 'PUT' ? content : undefined
  const headers = await awsHeaders(
    { method, url, region, service: 's3', ...(body !== undefined && { body }) },
    { accessKey: values['bucket_access_key'] ?? '', secretKey: values['bucket_secret_key'] ?? '' },
    context.now(),
  )
  return context.ask(url, { method, headers, tenant: Boolean(own), ...(body !== undefined && { body }) })
}

type Step = 'write' | 'read' | 'delete'

const deniedMessages: Readonly<Record<Step, (status: number) => LocalizedMessage>> = {
  write: (status) => msg`The keys are known, but they can’t write objects in this bucket (${status}).`,
  read: (status) => msg`The keys are known, but they can’t read objects in this bucket (${status}).`,
  delete: (status) => msg`The keys are known, but they can’t delete objects in this bucket (${status}).`,
}

/** Interprets an error. Only well-known codes are read from the body, because the endpoint is not ours. */
function failedStep(response: FetchResponse, step: Step): ConnectionTestResult {
  const code = awsCode(response)
  const { status } = response
  if (code === 'NoSuchBucket' || (status === 404 && step === 'write'))
    return {
      outcome: 'unexpected',
      message: msg`There is no bucket of this name at the store.`,
      advice: msg`Check the name, the region and the address.`,
      status,
    }
  if (
    [
      'PermanentRedirect',
      'TemporaryRedirect',
      'AuthorizationHeaderMalformed',
      'IllegalLocationConstraintException',
    ].includes(code)
  )
    return {
      outcome: 'unexpected',
      message: msg`The bucket is in another region.`,
      advice: msg`Enter the region the bucket was made in.`,
      status,
    }
  const found = failureResult(awsFailure(bucket.vendor, response, Date.now()))
  if (found.outcome !== 'wrong_scope') return found
  return {
    ...found,
    message: deniedMessages[step](status),
    advice: msg`Allow them to put, get and delete objects in it.`,
  }
}
