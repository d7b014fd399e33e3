/** Checks signatures the way AWS documents them (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html). */
import { createHash, createHmac } from 'node:crypto'
import type { ReceivedRequest } from './simulated-vendor.ts'

/** What an `Authorization` header says; null if it is none of Signature Version 4. */
export interface Signed {
  readonly accessKey: string
  readonly region: string
  /** Whether the key made it, for this request and this content. */
  isBy(secretKey: string): boolean
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Reads the signature of a request to S3; null without one. */
export function signatureOf({ method, path, headers, raw = Buffer.alloc(0) }: ReceivedRequest): Signed | null {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      String(headers['authorization'] ?? ''),
    )
  if (!found) return null
  const [, accessKey = '', day = '', region = '', names = '', signature] = found
  const time = String(headers['x-amz-date'])
  const content = String(headers['x-amz-content-sha256'])
  const signed = names.split(';')
  const url = new URL(path, 'http://store')
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&')
  const lines = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replaceAll(/ +/g, ' ')}\n`,
  )
  const canonical = [method, url.pathname, query, lines.join(''), names, content].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  // What AWS wants to be signed, and that the content is the signed one.
  const amz = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  const isWhole = ['host', ...amz].every((name) => signed.includes(name)) && time.startsWith(day)
  return {
    accessKey,
    region,
    isBy(secretKey) {
      const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretKey}`)
      const isContent = content === 'UNSIGNED-PAYLOAD' || content === sha256(raw)
      return isWhole && isContent && hmac(key, text).toString('hex') === signature
    },
  }
}

const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
