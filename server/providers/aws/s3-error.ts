import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { kindOfStatus, ProviderError, vendorText, type ProviderErrorKind } from '../provider-error.ts'
import { kindOfCode } from './aws-error.ts'

/** What is done with a bucket; each needs a right of its own. */
export type S3Step = 'write' | 'read' | 'list' | 'delete'

/** Stores of buckets have no name: anybody can run one. */
export const s3Vendor = msg`The bucket’s store`

const denied: Readonly<Record<S3Step, (status: number) => LocalizedMessage>> = {
  write: (status) => msg`The keys are known, but they can’t write objects in this bucket (${status}).`,
  read: (status) => msg`The keys are known, but they can’t read objects in this bucket (${status}).`,
  list: (status) => msg`The keys are known, but they can’t list the objects in this bucket (${status}).`,
  delete: (status) => msg`The keys are known, but they can’t delete objects in this bucket (${status}).`,
}

const inOtherRegion = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])
/** No room: quotas of Ceph and Hetzner, full disks of MinIO, caps of Backblaze. */
const full = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'InsufficientStorage',
  'CapExceeded',
  'ServiceQuotaExceeded',
])
/** An object that may not be deleted yet (S3 Object Lock and what others call it). */
const locked = new Set(['ObjectLocked', 'ObjectLockedByBucketPolicy', 'ObjectUnderRetention'])
const changed = new Set(['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch'])

/** What a store's answer means. `code`: from its body or headers, '' if it has none. Only well-known ones are shown, since the endpoint is not ours. */
export function s3Failure(code: string, status: number, step: S3Step, cause?: unknown): ProviderError {
  const failure = { vendor: s3Vendor, status, vendorCode: code, cause }
  if (code === 'NoSuchBucket' || (status === 404 && step !== 'read' && step !== 'delete'))
    return new ProviderError('not_found', {
      ...failure,
      message: msg`There is no bucket of this name at the store.`,
      nextAction: msg`Check the name, the region and the address.`,
    })
  if (inOtherRegion.has(code) || status === 301 || status === 307)
    return new ProviderError('invalid', {
      ...failure,
      message: msg`The bucket is in another region.`,
      nextAction: msg`Enter the region the bucket was made in.`,
    })
  if (full.has(code) || status === 507)
    return new ProviderError('quota', {
      ...failure,
      message: msg`The bucket’s store has no room left.`,
      nextAction: msg`Delete backups, or raise the limit at the store.`,
    })
  if (locked.has(code))
    return new ProviderError('wrong_scope', {
      ...failure,
      message: msg`The store does not allow to delete this object yet: it is locked.`,
      nextAction: msg`Wait until its lock has ended.`,
    })
  if (changed.has(code))
    return new ProviderError('unavailable', {
      ...failure,
      message: msg`What the store received is not what was sent.`,
      retryable: true,
    })
  const kind = kindOfCode(code) ?? kindOfStatus(status)
  const { message, nextAction } = wordsOf(kind, status, step)
  return new ProviderError(kind, {
    ...failure,
    words: vendorText(code),
    message,
    nextAction,
    retryable: kind === 'rate_limited' || kind === 'unavailable',
  })
}

function wordsOf(
  kind: ProviderErrorKind,
  status: number,
  step: S3Step,
): { message?: LocalizedMessage; nextAction?: LocalizedMessage } {
  if (kind !== 'wrong_scope') return {}
  const nextAction =
    step === 'list' ? msg`Allow them to list the bucket.` : msg`Allow them to put, get and delete objects in it.`
  return { message: denied[step](status), nextAction }
}

/** An error of the vendor's client in words. */
function s3Error(error: unknown, step: S3Step): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const metadata: unknown = Reflect.get(error, '$metadata')
  const status: unknown = typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, 'httpStatusCode')
  if (typeof status === 'number')
    return s3Failure(/^[A-Za-z.]{1,80}$/.test(error.name) ? error.name : '', status, step, error)
  return error.name === 'AbortError'
    ? error
    : new ProviderError('unexpected', { vendor: s3Vendor, status: 200, cause: error })
}

/** The answer of the vendor's client, whose errors are put into words. */
export async function inWords<T>(step: S3Step, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw s3Error(error, step)
  }
}
