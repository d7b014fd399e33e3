import * as z from 'zod/mini'
import { awsHeaders, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import { AppError } from '#shared/errors.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { availableNow } from '../machine-types.ts'
import type { MachineType, Provider, Region } from '../provider.ts'
import { knownRegion } from '../provider-regions.ts'
import { collectPages, sendRequest, validated, type VendorApi, type VendorTransport } from '../vendor-api.ts'
import { awsFailure } from './aws-error.ts'
import { readEc2Xml } from './ec2-xml.ts'

/** What all calls share. */
interface Ec2 {
  readonly account: AwsKeys
  /** The operator's, for all regions; null: the region's own. */
  readonly endpoint: string | null
  readonly transport: VendorTransport
}

/** AWS EC2 (https://docs.aws.amazon.com/AWSEC2/latest/APIReference) for a pair of keys. */
export function aws(account: AwsKeys, endpoint: string | null, transport: VendorTransport): Provider {
  const ec2 = { account, endpoint, transport }
  return {
    name: 'aws',
    label: 'AWS',
    check: (signal) => check(ec2, signal),
    regions: (signal) => regions(ec2, signal),
    machineTypes: (region, signal) => machineTypes(ec2, region, signal),
  }
}

/** Any region knows all regions; this one needs no opt-in. */
const mainRegion = 'us-east-1'

/** The API of a region for one action. */
function regionApi({ account, endpoint, transport }: Ec2, region: string, action: string): VendorApi {
  // It becomes part of a host name.
  if (!/^[a-z]{2,5}(?:-[a-z]{2,20}){1,3}-\d{1,2}$/.test(region))
    throw new AppError('invalid', msg`${region} is not a region of AWS.`, {
      nextAction: msg`Enter its short name, e.g. eu-central-1.`,
    })
  const form = 'application/x-www-form-urlencoded; charset=utf-8'
  return {
    transport,
    vendor: 'AWS',
    endpoint: endpoint ?? `https://ec2.${region}.amazonaws.com`,
    secrets: [account.accessKey, account.secretKey],
    headers: ({ method, url, body }) =>
      awsHeaders(
        { method, url, region, service: 'ec2', headers: { 'content-type': form }, body },
        account,
        new Date(transport.now()),
      ),
    failureOf: (response) =>
      awsFailure('AWS', response, transport.now(), {
        wrong_scope: msg`Allow the key EC2, with ${`ec2:${action}`} among its actions.`,
      }),
  }
}

interface Ec2Request {
  readonly action: string
  readonly region: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly tries?: number
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

/** Reads: with EC2 they are POST requests as well. */
async function describe<T>(ec2: Ec2, request: Ec2Request, schema: z.ZodMiniType<T>): Promise<T> {
  const { action, region, parameters = {}, tries = 5, ...options } = request
  const api = regionApi(ec2, region, action)
  const body = new URLSearchParams({ Action: action, Version: '2016-11-15', ...parameters }).toString()
  const response = await sendRequest(api, { ...options, method: 'POST', path: '/', body, tries })
  return validated(api, response, schema, readEc2Xml(response.body.toString('utf8')))
}

const text = z.string().check(z.maxLength(300))
/** An empty list is an empty element, which reads as a text. */
const listOf = <T>(item: z.ZodMiniType<T>) =>
  z.pipe(
    z.union([z.literal(''), z.array(item)]),
    z.transform((list) => (list === '' ? [] : list)),
  )

const regionList = z.object({
  regionInfo: z.array(z.object({ regionName: text, optInStatus: z.optional(text) })).check(z.minLength(1)),
})

/** Lists the account's EC2 regions. */
async function check(ec2: Ec2, signal?: AbortSignal): Promise<LocalizedMessage> {
  const found = await describe(
    ec2,
    { action: 'DescribeRegions', region: mainRegion, tries: 1, maxBytes: 256 * 1024, signal },
    regionList,
  )
  const count = found.regionInfo.length
  return plural(
    count,
    msg`The key works: ${count} region can be used.`,
    msg`The key works: ${count} regions can be used.`,
  )
}

async function regions(ec2: Ec2, signal?: AbortSignal): Promise<Region[]> {
  const parameters = { AllRegions: 'true' }
  const found = await describe(ec2, { action: 'DescribeRegions', region: mainRegion, parameters, signal }, regionList)
  return found.regionInfo.map(({ regionName, optInStatus }) => ({
    ...knownRegion('AWS', regionName),
    available: optInStatus !== 'not-opted-in',
  }))
}

const wholeNumber = z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number))

const instanceTypes = z.object({
  instanceTypeSet: listOf(
    z.object({
      instanceType: text,
      processorInfo: z.object({ supportedArchitectures: listOf(text) }),
      vCpuInfo: z.object({ defaultVCpus: wholeNumber }),
      memoryInfo: z.object({ sizeInMiB: wholeNumber }),
    }),
  ),
  nextToken: z.optional(z.string().check(z.maxLength(4000))),
})

/** Types that can run Ubuntu from an EBS disk and are rented by the hour. */
const filters = {
  'current-generation': ['true'],
  'bare-metal': ['false'],
  'supported-root-device-type': ['ebs'],
  'supported-usage-class': ['on-demand'],
  'supported-virtualization-type': ['hvm'],
  'processor-info.supported-architecture': ['x86_64', 'arm64'],
}
const filterParameters = Object.fromEntries(
  Object.entries(filters).flatMap(([name, values], at) => [
    [`Filter.${at + 1}.Name`, name],
    ...values.map((value, index) => [`Filter.${at + 1}.Value.${index + 1}`, value]),
  ]),
)

/** A region lists the types it offers. EC2 has no call for prices. */
async function machineTypes(ec2: Ec2, region: string, signal?: AbortSignal): Promise<MachineType[]> {
  const action = 'DescribeInstanceTypes'
  const found = await collectPages(regionApi(ec2, region, action), '', async (cursor) => {
    const parameters = { ...filterParameters, MaxResults: '100', ...(cursor !== '' && { NextToken: cursor }) }
    const page = await describe(ec2, { action, region, parameters, signal }, instanceTypes)
    return { items: page.instanceTypeSet, next: page.nextToken || null }
  })
  return found.map(({ instanceType, processorInfo, vCpuInfo, memoryInfo }) => ({
    name: instanceType,
    vcpu: vCpuInfo.defaultVCpus,
    ramBytes: memoryInfo.sizeInMiB * 2 ** 20,
    diskBytes: null,
    architecture: processorInfo.supportedArchitectures.includes('arm64') ? 'arm' : 'x86',
    price: null,
    ...availableNow,
  }))
}
