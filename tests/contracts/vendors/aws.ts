/** EC2 and S3 as far as the connection tests need them: both recompute the signature of a request. */
import { awsHeaders } from '#server/platform/network/aws-signature.ts'
import { secretOf } from './keys.ts'
import { description, type SimulatedResponse, type ReceivedRequest } from './simulator.ts'

/** An EC2 error. */
export const xmlError = (status: number, code: string): SimulatedResponse => ({
  status,
  type: 'text/xml',
  body: `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>for AKIA</Message></Error></Errors></Response>`,
})

/** The response of DescribeRegions, with tag names from the vendor's own model. */
function regionsXml(): string {
  interface Model {
    metadata: { apiVersion: string; xmlNamespace: string }
    shapes: Record<string, { members?: Record<string, { locationName?: string }>; member?: { locationName?: string } }>
  }
  const model = description<Model>('aws-ec2')
  const tag = (shape: string, member: string) => model.shapes[shape]?.members?.[member]?.locationName
  const list = tag('DescribeRegionsResult', 'Regions')
  const item = model.shapes['RegionList']?.member?.locationName
  const name = tag('Region', 'RegionName')
  const rows = ['eu-central-1', 'us-east-1'].map((one) => `<${item}><${name}>${one}</${name}></${item}>`).join('')
  return `<DescribeRegionsResponse xmlns="${model.metadata.xmlNamespace}"><${list}>${rows}</${list}></DescribeRegionsResponse>`
}

/** Whether a request is signed with these keys: recomputes the signature, as the vendor does. */
async function isSigned(
  seen: ReceivedRequest,
  accessKey: string,
  secretKey: string,
  service: 'ec2' | 's3',
  region: string,
): Promise<boolean> {
  const time = String(seen.headers['x-amz-date'])
  const at = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const url = new URL(seen.path, `http://${String(seen.headers['host'])}`)
  const type = seen.headers['content-type']
  const headers: Record<string, string> = typeof type === 'string' ? { 'content-type': type } : {}
  const expected = await awsHeaders(
    { method: seen.method, url, region, service, headers, body: seen.body },
    { accessKey, secretKey },
    at,
  )
  return expected['authorization'] === seen.headers['authorization']
}

/** Simulates EC2 with one operation. */
export async function ec2(seen: ReceivedRequest): Promise<SimulatedResponse | null> {
  const form = new URLSearchParams(seen.body)
  if (form.get('Action') !== 'DescribeRegions' || form.get('Version') !== '2016-11-15') return null
  if (await isSigned(seen, 'AKIARIGHT', secretOf.right, 'ec2', 'us-east-1'))
    return { status: 200, body: regionsXml(), type: 'text/xml' }
  return (await isSigned(seen, 'AKIARIGHT', secretOf.narrow, 'ec2', 'us-east-1'))
    ? xmlError(403, 'UnauthorizedOperation')
    : xmlError(401, 'AuthFailure')
}

/** An error of an S3-compatible store. */
export const s3Error = (status: number, code: string): SimulatedResponse => ({
  status,
  type: 'application/xml',
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>said</Message></Error>`,
})

/** Simulates a store with one bucket, `backups` in eu-central-1. */
export function s3(): (seen: ReceivedRequest) => Promise<SimulatedResponse | null> {
  const objects = new Map<string, string>()
  return async (seen) => {
    if (await isSigned(seen, 'AKIARIGHT', secretOf.narrow, 's3', 'eu-central-1')) return s3Error(403, 'AccessDenied')
    if (!(await isSigned(seen, 'AKIARIGHT', secretOf.right, 's3', 'eu-central-1')))
      return s3Error(403, 'SignatureDoesNotMatch')
    if (!seen.path.startsWith('/backups/')) return s3Error(404, 'NoSuchBucket')
    if (seen.method === 'PUT') objects.set(seen.path, seen.body)
    if (seen.method === 'GET') {
      const found = objects.get(seen.path)
      return found === undefined ? s3Error(404, 'NoSuchKey') : { status: 200, body: found, type: 'text/plain' }
    }
    if (seen.method === 'DELETE') objects.delete(seen.path)
    return { status: seen.method === 'DELETE' ? 204 : 200, body: '', type: 'text/plain' }
  }
}
