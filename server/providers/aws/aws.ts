import * as z from 'zod/mini'
import type { AwsKeys } from '#server/platform/network/aws-signature.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { availableNow } from '../machine-types.ts'
import type { MachineType, Provider, Region } from '../provider.ts'
import { knownRegion } from '../provider-regions.ts'
import type { VendorTransport } from '../vendor-api.ts'
import { awsMachines } from './aws-machines.ts'
import {
  askEc2Pages,
  describeRegions,
  filtersOf,
  listOf,
  nextToken,
  text,
  wholeNumber,
  type Ec2,
  type Ec2Request,
} from './ec2-api.ts'

/** AWS EC2 for a pair of keys. */
export function aws(account: AwsKeys, endpoint: string | null, transport: VendorTransport): Provider {
  const ec2 = { account, endpoint, transport }
  return {
    name: 'aws',
    label: 'AWS',
    check: (signal) => check(ec2, signal),
    regions: (signal) => regions(ec2, signal),
    machineTypes: (region, signal) => machineTypes(ec2, region, signal),
    machines: awsMachines(ec2),
  }
}

/** Lists the account's EC2 regions. */
async function check(ec2: Ec2, signal?: AbortSignal): Promise<LocalizedMessage> {
  const count = (await describeRegions(ec2, { tries: 1, maxBytes: 256 * 1024, signal })).length
  return plural(
    count,
    msg`The key works: ${count} region can be used.`,
    msg`The key works: ${count} regions can be used.`,
  )
}

async function regions(ec2: Ec2, signal?: AbortSignal): Promise<Region[]> {
  const found = await describeRegions(ec2, { parameters: { AllRegions: 'true' }, signal })
  return found.map(({ regionName, optInStatus }) => ({
    ...knownRegion('AWS', regionName),
    available: optInStatus !== 'not-opted-in',
  }))
}

const instanceTypes = z.object({
  instanceTypeSet: listOf(
    z.object({
      instanceType: text,
      processorInfo: z.object({ supportedArchitectures: listOf(text) }),
      vCpuInfo: z.object({ defaultVCpus: wholeNumber }),
      memoryInfo: z.object({ sizeInMiB: wholeNumber }),
    }),
  ),
  nextToken,
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

/** A region lists the types it offers. EC2 has no call for prices. */
async function machineTypes(ec2: Ec2, region: string, signal?: AbortSignal): Promise<MachineType[]> {
  const parameters = { Filter: filtersOf(filters), MaxResults: '100' }
  const request: Ec2Request = { action: 'DescribeInstanceTypes', region, parameters, signal }
  const found = await askEc2Pages(ec2, request, instanceTypes, (page) => page.instanceTypeSet)
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
