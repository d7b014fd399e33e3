import { awsHeaders, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** Keys the vendor knows. */
interface Ec2Keys extends AwsKeys {
  /** `none`: they may do nothing. */
  readonly access: 'full' | 'none'
}

export interface Ec2Options {
  readonly keys: readonly Ec2Keys[]
  /** Regions that need an opt-in and have it. */
  readonly optedIn?: readonly string[]
  /** Most entries of a page; the vendor's is 100. */
  readonly pageLimit?: number
}

/** AWS EC2 as far as Easydash uses it: regions and instance types. It recomputes the signature of every request. */
export function simulatedEc2(options: Ec2Options): SimulatedVendor {
  return {
    respond: (request) => respond(options, request),
    errorOf,
  }
}

const requestId = '1f2e3d4c-0000-4000-8000-a1b2c3d4e5f6'

/** The message names the key, as the vendor's sometimes does. */
const failure = (
  status: number,
  code: string,
  accessKey = '',
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  type: 'text/xml;charset=UTF-8',
  headers,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${code}</Code><Message>Refused for ${escaped(accessKey)}</Message></Error></Errors><RequestID>${requestId}</RequestID></Response>`,
})

function errorOf(fault: Fault): SimulatedResponse {
  if (fault.kind !== 'rate_limit') return failure(500, 'InternalError')
  const { retryAfterSeconds: wait } = fault
  return failure(503, 'RequestLimitExceeded', '', wait === undefined ? {} : { 'retry-after': String(wait) })
}

async function respond(options: Ec2Options, request: ReceivedRequest): Promise<SimulatedResponse | null> {
  const form = new URLSearchParams(request.body)
  if (request.method !== 'POST' || form.get('Version') !== '2016-11-15') return null
  const [, accessKey = '', region = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\w{1,128})\/\d{8}\/([a-z0-9-]{1,40})\/ec2\/aws4_request,/.exec(
      String(request.headers['authorization']),
    ) ?? []
  let signer: Ec2Keys | undefined
  for (const keys of options.keys) if (await isSignedBy(request, keys, { service: 'ec2', region })) signer = keys
  if (!signer) return failure(401, 'AuthFailure', accessKey)
  if (signer.access === 'none') return failure(403, 'UnauthorizedOperation', accessKey)
  switch (form.get('Action')) {
    case 'DescribeRegions':
      return answer('DescribeRegions', { regionInfo: regionsOf(options, form) })
    case 'DescribeInstanceTypes':
      return describeTypes(options, form, region)
    default:
      return null
  }
}

/** Recomputes the signature over what was received, as the vendor does. */
export async function isSignedBy(
  request: ReceivedRequest,
  keys: AwsKeys,
  scope: { service: 'ec2' | 's3'; region: string },
): Promise<boolean> {
  const time = String(request.headers['x-amz-date'])
  const at = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(at.getTime())) return false
  const url = new URL(request.path, `http://${String(request.headers['host'])}`)
  const type = request.headers['content-type']
  const headers: Record<string, string> = typeof type === 'string' ? { 'content-type': type } : {}
  const expected = await awsHeaders({ ...scope, method: request.method, url, headers, body: request.body }, keys, at)
  return expected['authorization'] === request.headers['authorization']
}

/** Regions, and whether they need an opt-in. */
const regions: Readonly<Record<string, boolean>> = {
  'eu-central-1': false,
  'us-east-1': false,
  'ap-east-1': true,
  'af-south-1': true,
}

function regionsOf({ optedIn = [] }: Ec2Options, form: URLSearchParams) {
  const all = Object.entries(regions).map(([regionName, needsOptIn]) => ({
    optInStatus: !needsOptIn ? 'opt-in-not-required' : optedIn.includes(regionName) ? 'opted-in' : 'not-opted-in',
    regionName,
    regionEndpoint: `ec2.${regionName}.amazonaws.com`,
  }))
  return all.filter(({ optInStatus }) => form.get('AllRegions') === 'true' || optInStatus !== 'not-opted-in')
}

/** A type: vCPUs, MiB, architecture; then where it is offered, if not everywhere. */
const types: readonly (readonly [string, number, number, string, (readonly string[])?])[] = [
  ['t3.micro', 2, 1024, 'x86_64'],
  ['t3.small', 2, 2048, 'x86_64'],
  ['t3.medium', 2, 4096, 'x86_64'],
  ['t4g.small', 2, 2048, 'arm64'],
  ['t4g.medium', 2, 4096, 'arm64'],
  ['m7i.large', 2, 8192, 'x86_64'],
  ['m7i.xlarge', 4, 16_384, 'x86_64', ['eu-central-1', 'us-east-1']],
  ['m7i.metal-24xl', 96, 393_216, 'x86_64'],
  ['m1.small', 1, 1740, 'x86_64'],
  ['mac2.metal', 8, 16_384, 'arm64_mac'],
]

const typeOf = ([name, vcpus, mebibytes, architecture]: (typeof types)[number]) => ({
  instanceType: name,
  currentGeneration: String(name !== 'm1.small'),
  freeTierEligible: String(name === 't3.micro'),
  supportedUsageClasses: ['on-demand', 'spot'],
  supportedRootDeviceTypes: ['ebs'],
  supportedVirtualizationTypes: ['hvm'],
  bareMetal: String(name.includes('metal')),
  processorInfo: { supportedArchitectures: [architecture] },
  vCpuInfo: { defaultVCpus: String(vcpus) },
  memoryInfo: { sizeInMiB: String(mebibytes) },
})

/** What a filter compares. */
const filterValues: Readonly<Record<string, (type: ReturnType<typeof typeOf>) => readonly string[]>> = {
  'current-generation': (type) => [type.currentGeneration],
  'bare-metal': (type) => [type.bareMetal],
  'supported-root-device-type': (type) => type.supportedRootDeviceTypes,
  'supported-usage-class': (type) => type.supportedUsageClasses,
  'supported-virtualization-type': (type) => type.supportedVirtualizationTypes,
  'processor-info.supported-architecture': (type) => type.processorInfo.supportedArchitectures,
}

function describeTypes({ pageLimit = 100 }: Ec2Options, form: URLSearchParams, region: string): SimulatedResponse {
  let found = types.filter(([, , , , at]) => at?.includes(region) ?? true).map(typeOf)
  for (let at = 1; form.has(`Filter.${at}.Name`); at += 1) {
    const valuesOf = filterValues[form.get(`Filter.${at}.Name`) ?? '']
    if (!valuesOf) return failure(400, 'InvalidParameterValue')
    const wanted = [...form].flatMap(([name, value]) => (name.startsWith(`Filter.${at}.Value.`) ? [value] : []))
    found = found.filter((type) => valuesOf(type).some((value) => wanted.includes(value)))
  }
  const start = Number(form.get('NextToken')?.replace('token-', '') ?? 0)
  const end = start + Math.min(Number(form.get('MaxResults') ?? 100), pageLimit)
  return answer('DescribeInstanceTypes', {
    instanceTypeSet: found.slice(start, end),
    ...(end < found.length && { nextToken: `token-${end}` }),
  })
}

type XmlContent = string | readonly XmlContent[] | { readonly [field: string]: XmlContent }

function answer(action: string, content: Readonly<Record<string, XmlContent>>): SimulatedResponse {
  const fields = xml({ requestId, ...content })
  return {
    status: 200,
    type: 'text/xml;charset=UTF-8',
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${fields}</${action}Response>`,
  }
}

function xml(content: XmlContent): string {
  if (typeof content === 'string') return escaped(content)
  if (Array.isArray(content)) return content.map((item: XmlContent) => `<item>${xml(item)}</item>`).join('')
  return Object.entries(content)
    .map(([name, value]: [string, XmlContent]) => `<${name}>${xml(value)}</${name}>`)
    .join('')
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
