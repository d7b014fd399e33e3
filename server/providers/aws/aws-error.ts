import type { FetchResponse } from '#server/platform/network/fetch.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import { kindOfStatus, ProviderError, retryAfterOf, vendorText, type ProviderErrorKind } from '../provider-error.ts'

const kinds: ReadonlyMap<string, ProviderErrorKind> = new Map(
  (
    [
      ['wrong_key', 'AuthFailure', 'InvalidAccessKeyId', 'InvalidClientTokenId', 'MissingAuthenticationToken'],
      ['wrong_key', 'SignatureDoesNotMatch', 'UnrecognizedClientException'],
      ['wrong_scope', 'UnauthorizedOperation', 'AccessDenied', 'AllAccessDisabled', 'OptInRequired', 'Blocked'],
      ['wrong_scope', 'PendingVerification'],
      ['rate_limited', 'RequestLimitExceeded', 'Throttling', 'SlowDown'],
    ] satisfies [ProviderErrorKind, ...string[]][]
  ).flatMap(([kind, ...codes]) => codes.map((code) => [code, kind])),
)

/** The error code of an XML response of EC2 or an S3 store, or ''. Its message may repeat the access key. */
export function awsCode(response: FetchResponse): string {
  return /<Code>([A-Za-z.]{1,80})<\/Code>/.exec(response.body.toString('utf8'))?.[1] ?? ''
}

/** Interprets an error of EC2 or an S3 store. Throttling and internal errors of AWS come as 5xx and can be repeated. */
export function awsFailure(
  vendor: string | LocalizedMessage,
  response: FetchResponse,
  now: number,
  nextActions: Partial<Record<ProviderErrorKind, LocalizedMessage>> = {},
): ProviderError {
  const code = awsCode(response)
  const kind = kinds.get(code) ?? kindOfStatus(response.status)
  return new ProviderError(kind, {
    vendor,
    status: response.status,
    vendorCode: code,
    words: code,
    nextAction: nextActions[kind],
    retryable: kind === 'rate_limited' || kind === 'unavailable',
    retryAfterSeconds: kind === 'rate_limited' ? retryAfterOf(response.headers, now) : undefined,
    cause: new Error(`HTTP ${response.status} ${code}, request ${vendorText(response.headers['x-amzn-requestid'])}`),
  })
}
