import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'

/** Keys of an AWS account or an S3-compatible store. */
export interface AwsKeys {
  readonly accessKey: string
  readonly secretKey: string
}

/** The request to sign. */
export interface AwsRequest {
  readonly method: string
  readonly url: URL
  readonly region: string
  readonly service: 'ec2' | 's3'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Returns the headers of a request signed with AWS Signature Version 4, including the given ones; all of them are signed.
 * The host is signed as `url.host`. The library only signs: the request itself goes through our own `safeFetch`.
 */
export async function awsHeaders(request: AwsRequest, keys: AwsKeys, at: Date): Promise<Record<string, string>> {
  const { service, headers, body = '' } = request
  // By default, the library would sign S3 requests without their body.
  const hash = service === 's3' ? createHash('sha256').update(body, 'utf8').digest('hex') : null
  const hashed = { ...headers, ...(hash !== null && { 'x-amz-content-sha256': hash }) }
  return Object.fromEntries((await signed({ ...request, headers: hashed, body }, keys, at, false)).headers)
}

/**
 * Returns the URL of a request with its signature in it, for whoever sends it within so many seconds: with exactly these headers, and any
 * content that they allow.
 */
export async function awsUrl(request: AwsRequest, keys: AwsKeys, at: Date, seconds: number): Promise<string> {
  const url = new URL(request.url)
  url.searchParams.set('X-Amz-Expires', String(seconds))
  return (await signed({ ...request, url }, keys, at, true)).url.href
}

const signed = (
  { url, headers, ...request }: AwsRequest,
  { accessKey, secretKey }: AwsKeys,
  at: Date,
  signQuery: boolean,
): Promise<{ headers: Headers; url: URL }> =>
  new AwsV4Signer({
    ...request,
    url: url.href,
    headers: { ...headers },
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    datetime: at.toISOString().replace(/[-:]|\.\d{3}/g, ''),
    allHeaders: true,
    signQuery,
  }).sign()
