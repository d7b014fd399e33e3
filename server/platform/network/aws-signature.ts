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
  const { method, url, region, service, headers = {}, body = '' } = request
  // By default, the library would sign S3 requests without their body.
  const hash = service === 's3' ? createHash('sha256').update(body, 'utf8').digest('hex') : null
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, ...(hash !== null && { 'x-amz-content-sha256': hash }) },
    body,
    accessKeyId: keys.accessKey,
    secretAccessKey: keys.secretKey,
    region,
    service,
    datetime: signedAt(at),
    allHeaders: true,
  })
  return Object.fromEntries((await signer.sign()).headers)
}

/**
 * Returns the URL of a request with its signature in it, for whoever sends it within so many seconds: with exactly these headers, and any
 * content that they allow.
 */
export async function awsUrl(
  { method, url, region, service, headers = {} }: AwsRequest,
  keys: AwsKeys,
  at: Date,
  seconds: number,
): Promise<string> {
  const expiring = new URL(url)
  expiring.searchParams.set('X-Amz-Expires', String(seconds))
  const signer = new AwsV4Signer({
    method,
    url: expiring.href,
    headers: { ...headers },
    accessKeyId: keys.accessKey,
    secretAccessKey: keys.secretKey,
    region,
    service,
    datetime: signedAt(at),
    allHeaders: true,
    signQuery: true,
  })
  return (await signer.sign()).url.href
}

const signedAt = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, '')
