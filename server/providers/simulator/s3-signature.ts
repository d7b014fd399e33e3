/** Checks signatures the way AWS documents them (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html). */
import { createHash, createHmac } from 'node:crypto'
import type { ReceivedRequest } from './simulated-vendor.ts'

/** What a signature says, in a header or in the address. */
export interface Signed {
  readonly accessKey: string
  readonly region: string
  /** Milliseconds since 1970; null if it is for now. */
  readonly until: number | null
  /** Whether the key made it, for this request and this content. */
  isBy(secretKey: string): boolean
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Reads the signature of a request to S3; null without one. */
export function signatureOf(request: ReceivedRequest): Signed | null {
  const { method, path, headers, raw = Buffer.alloc(0) } = request
  const url = new URL(path, 'http://store')
  const found = inHeader(request) ?? inAddress(url)
  if (!found) return null
  const { accessKey, day, region, names, signature, time, content, until } = found
  const signed = names.split(';')
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
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
    until,
    isBy(secretKey) {
      const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretKey}`)
      const isContent = content === 'UNSIGNED-PAYLOAD' || content === sha256(raw)
      return isWhole && isContent && hmac(key, text).toString('hex') === signature
    },
  }
}

interface Found extends Pick<Signed, 'accessKey' | 'region' | 'until'> {
  readonly day: string
  /** Of the signed headers. */
  readonly names: string
  readonly signature: string
  readonly time: string
  readonly content: string
}

function inHeader({ headers }: ReceivedRequest): Found | null {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      String(headers['authorization'] ?? ''),
    )
  if (!found) return null
  const [, accessKey = '', day = '', region = '', names = '', signature = ''] = found
  const [time, content] = [String(headers['x-amz-date']), String(headers['x-amz-content-sha256'])]
  return { accessKey, day, region, names, signature, time, content, until: null }
}

function inAddress({ searchParams }: URL): Found | null {
  const said = (name: string) => searchParams.get(`X-Amz-${name}`) ?? ''
  const [accessKey = '', day = '', region = ''] = said('Credential').split('/')
  const time = said('Date')
  const [, year, month, date, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? []
  if (said('Algorithm') !== 'AWS4-HMAC-SHA256' || year === undefined) return null
  const since = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`)
  const [names, signature] = [said('SignedHeaders'), said('Signature')]
  const about = { accessKey, day, region, names, signature, time }
  return { ...about, content: 'UNSIGNED-PAYLOAD', until: since + Number(said('Expires')) * 1_000 }
}

const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
