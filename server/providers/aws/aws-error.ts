import type { FetchResponse } from '#server/platform/network/fetch.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import { kindOfStatus, ProviderError, retryAfterOf, vendorText, type ProviderErrorKind } from '../provider-error.ts'
import { wordsOf } from '../vendor-api.ts'

const kinds: ReadonlyMap<string, ProviderErrorKind> = new Map(
  (
    [
      ['wrong_key', 'AuthFailure', 'InvalidAccessKeyId', 'InvalidClientTokenId', 'MissingAuthenticationToken'],
      ['wrong_key', 'SignatureDoesNotMatch', 'UnrecognizedClientException'],
      ['wrong_scope', 'UnauthorizedOperation', 'AccessDenied', 'AllAccessDisabled', 'OptInRequired', 'Blocked'],
      ['wrong_scope', 'PendingVerification'],
      ['rate_limited', 'RequestLimitExceeded', 'Throttling', 'SlowDown', 'SnapshotCreationPerVolumeRateExceeded'],
      // Of the account's own network, in one zone.
      ['quota', 'InsufficientFreeAddressesInSubnet'],
      // Of a machine type in all zones of a region.
      ['out_of_stock', 'Unsupported'],
      ['conflict', 'IncorrectInstanceState', 'IdempotentParameterMismatch'],
    ] satisfies [ProviderErrorKind, ...string[]][]
  ).flatMap(([kind, ...codes]) => codes.map((code) => [code, kind])),
)

/** Codes that EC2 has for each kind of thing, e.g. `VcpuLimitExceeded` and `InvalidGroup.Duplicate`. */
const families: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/LimitExceeded$/, 'quota'],
  [/^Insufficient\w+Capacity$/, 'out_of_stock'],
  [/\.NotFound$/, 'not_found'],
  [/\.Duplicate$/, 'conflict'],
]

/**
 * New things are not found for some seconds (https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html), and what is
 * there already is found by the next look.
 */
const passing = /\.(?:NotFound|Duplicate)$|^IdempotentParameterMismatch$/

/** The kind of an error code; undefined for codes that say nothing more than their status. */
export const kindOfCode = (code: string): ProviderErrorKind | undefined =>
  kinds.get(code) ?? families.find(([family]) => family.test(code))?.[1]

/** The error code of an XML response of EC2 or an S3 store, or ''. */
export function awsCode(response: FetchResponse): string {
  return /<Code>([A-Za-z.]{1,80})<\/Code>/.exec(response.body.toString('utf8'))?.[1] ?? ''
}

export interface AwsFailureOptions {
  readonly nextActions?: Partial<Record<ProviderErrorKind, LocalizedMessage>>
  /** Removed from the vendor's message, which may repeat the access key. Without them only its code is shown. */
  readonly secrets?: readonly string[]
}

/** Interprets an error of EC2 or an S3 store. Throttling and internal errors of AWS come as 5xx and can be repeated. */
export function awsFailure(
  vendor: string | LocalizedMessage,
  response: FetchResponse,
  now: number,
  { nextActions = {}, secrets }: AwsFailureOptions = {},
): ProviderError {
  const code = awsCode(response)
  const kind = kindOfCode(code) ?? kindOfStatus(response.status)
  const [, message] = /<Message>([^<]{1,2000})<\/Message>/.exec(response.body.toString('utf8')) ?? []
  return new ProviderError(kind, {
    vendor,
    status: response.status,
    vendorCode: code,
    words: (secrets && wordsOf(secrets, message)) || code,
    nextAction: nextActions[kind],
    retryable: kind === 'rate_limited' || kind === 'unavailable' || passing.test(code),
    retryAfterSeconds: kind === 'rate_limited' ? retryAfterOf(response.headers, now) : undefined,
    cause: new Error(`HTTP ${response.status} ${code}, request ${vendorText(response.headers['x-amzn-requestid'])}`),
  })
}
