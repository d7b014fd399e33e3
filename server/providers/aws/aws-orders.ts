import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Ec2Action } from '#shared/rules/ec2-policy.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { operationLabel, type Machine, type MachineOrder } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import { createOnce } from '../vendor-api.ts'
import { instance, machineOf, machinesIn } from './aws-instances.ts'
import {
  askEc2,
  askEc2Pages,
  filtersOf,
  listOf,
  nextToken,
  regionApi,
  text,
  type Ec2,
  type Ec2Parameters,
  type Ec2Request,
} from './ec2-api.ts'

const keyPairs = z.object({ keySet: listOf(z.object({ keyName: text, publicKey: z.string() })) })

/** A key belongs to a region, and its name is its id. We name it by what it is. */
export async function ensureKey(
  ec2: Ec2,
  { publicKey, region }: { readonly publicKey: string; readonly region: string },
  signal?: AbortSignal,
): Promise<string> {
  const key = parseSshPublicKey(publicKey)
  if ('problem' in key) throw new AppError('invalid', key.problem)
  const digest = createHash('sha256').update(Buffer.from(key.base64, 'base64')).digest('hex')
  const KeyName = `easydash-${digest.slice(0, 16)}`
  const find = async () => {
    const parameters = { Filter: filtersOf({ 'key-name': [KeyName] }), IncludePublicKey: 'true' }
    const { keySet } = await askEc2(ec2, { action: 'DescribeKeyPairs', region, parameters, signal }, keyPairs)
    return keySet.some((one) => one.publicKey.split(' ')[1]?.trim() === key.base64) ? KeyName : null
  }
  const add = async () => {
    const line = Buffer.from(`${key.kind} ${key.base64}`).toString('base64')
    const parameters = { KeyName, PublicKeyMaterial: line }
    const request: Ec2Request = { action: 'ImportKeyPair', region, parameters, tries: 1, signal }
    return (await askEc2(ec2, request, z.object({ keyName: text }))).keyName
  }
  return createOnce(regionApi(ec2, region, 'ImportKeyPair'), { find, create: add }, signal)
}

/**
 * Creates the machine of an operation where EC2 chooses. Capacity and addresses are a matter of a zone: if it has none left, the other
 * zones of the region are tried in turn (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html).
 */
export async function createMachine(ec2: Ec2, order: MachineOrder, signal?: AbortSignal): Promise<Machine> {
  const launch = preparedLaunch(ec2, order, signal)
  try {
    return await launchIn(ec2, order, { launch, subnet: null }, signal)
  } catch (error) {
    if (!isOfZone(error)) throw error
    for (const subnet of await defaultSubnets(ec2, order, signal)) {
      try {
        return await launchIn(ec2, order, { launch, subnet }, signal)
      } catch (other) {
        // Nor are all types offered in every zone.
        if (!isOfZone(other) && !(other instanceof ProviderError && other.kind === 'out_of_stock')) throw other
      }
    }
    throw error
  }
}

/** Codes of what one zone lacks. Source: https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html. */
const zoneCodes: readonly string[] = ['InsufficientInstanceCapacity', 'InsufficientFreeAddressesInSubnet']

const isOfZone = (error: unknown): boolean => error instanceof ProviderError && zoneCodes.includes(error.vendorCode)

/** Where and how an instance is launched. `subnet`: of a zone; null: EC2 chooses one. */
interface Launch {
  readonly launch: () => Promise<PreparedLaunch>
  readonly subnet: string | null
}

/**
 * Launches in one zone, or finds what any attempt has made. The token prevents a second instance even if lists lag behind; each attempt has
 * its own, because a token belongs to the parameters that it was first sent with, also if that failed.
 */
function launchIn(ec2: Ec2, order: MachineOrder, { launch, subnet }: Launch, signal?: AbortSignal): Promise<Machine> {
  const { operation, region } = order
  const find = async () =>
    (await machinesIn(ec2, region, { name: operationLabel, value: operation }, signal))[0] ?? null
  const run = async () => {
    const { group, parameters: common } = await launch()
    const parameters = {
      ...common,
      ClientToken: subnet === null ? operation : `${operation}-${subnet}`,
      // Subnets may be set not to give public addresses.
      NetworkInterface: [
        {
          DeviceIndex: '0',
          ...(subnet !== null && { SubnetId: subnet }),
          AssociatePublicIpAddress: 'true',
          SecurityGroupId: [group],
        },
      ],
    }
    const request: Ec2Request = { action: 'RunInstances', region, parameters, tries: 1, signal }
    const made = await askEc2(ec2, request, z.object({ instancesSet: z.tuple([instance]) }))
    return machineOf(region, made.instancesSet[0])
  }
  return createOnce(regionApi(ec2, region, 'RunInstances'), { find, create: run }, signal)
}

interface PreparedLaunch {
  readonly group: string
  readonly parameters: Ec2Parameters
}

/** What all attempts have in common, which is asked for once. */
function preparedLaunch(ec2: Ec2, order: MachineOrder, signal?: AbortSignal): () => Promise<PreparedLaunch> {
  let prepared: PreparedLaunch | null = null
  return async () => (prepared ??= await prepareLaunch(ec2, order, signal))
}

async function prepareLaunch(ec2: Ec2, order: MachineOrder, signal?: AbortSignal): Promise<PreparedLaunch> {
  const image = await newestImage(ec2, order, signal)
  const group = await ensureGroup(ec2, order.region, signal)
  const tags = { ...order.labels, Name: order.name, [operationLabel]: order.operation }
  const parameters = {
    MinCount: '1',
    MaxCount: '1',
    ImageId: image.imageId,
    InstanceType: order.type,
    // An instance takes one.
    KeyName: order.keys[0] ?? '',
    UserData: Buffer.from(order.userData).toString('base64'),
    BlockDeviceMapping: [
      {
        DeviceName: image.rootDeviceName,
        Ebs: { VolumeSize: String(order.diskGigabytes), VolumeType: 'gp3', DeleteOnTermination: 'true' },
      },
    ],
    // Otherwise a site that can be made to fetch addresses gives away what the metadata service knows.
    MetadataOptions: { HttpTokens: 'required' },
    TagSpecification: [{ ResourceType: 'instance', Tag: tagsOf(tags) }],
  }
  return { group, parameters }
}

const subnets = z.object({
  subnetSet: listOf(z.object({ subnetId: text, availabilityZone: text, state: text })),
  nextToken,
})

/** A subnet of the default network in each zone, in an order that stays. None for a key that must not read them. */
async function defaultSubnets(ec2: Ec2, { region }: MachineOrder, signal?: AbortSignal): Promise<string[]> {
  const parameters = { Filter: filtersOf({ 'default-for-az': ['true'] }) }
  const request: Ec2Request = { action: 'DescribeSubnets', region, parameters, signal }
  try {
    const found = await askEc2Pages(ec2, request, subnets, ({ subnetSet }) => subnetSet)
    return found
      .filter(({ state }) => state === 'available')
      .toSorted((a, b) => a.availabilityZone.localeCompare(b.availabilityZone))
      .map(({ subnetId }) => subnetId)
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'wrong_scope') return []
    throw error
  }
}

export const tagsOf = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([name, value]) => ({ Key: name, Value: value }))

/** Canonical, which publishes Ubuntu. Anybody can publish an image under the same name. */
const publisher = '099720109477'

const types = z.object({
  instanceTypeSet: listOf(z.object({ processorInfo: z.object({ supportedArchitectures: listOf(text) }) })),
})
const images = z.object({
  imagesSet: listOf(z.object({ imageId: text, creationDate: text, rootDeviceName: text })),
})

/** The newest image of Ubuntu 24.04 LTS for a type. Images have another id in each region. */
async function newestImage(ec2: Ec2, { region, type }: MachineOrder, signal?: AbortSignal) {
  const ofType: Ec2Request = { action: 'DescribeInstanceTypes', region, parameters: { InstanceType: [type] }, signal }
  const [found] = (await askEc2(ec2, ofType, types)).instanceTypeSet
  const architecture = found?.processorInfo.supportedArchitectures.includes('arm64') ? 'arm64' : 'amd64'
  const name = `ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-${architecture}-server-*`
  const parameters = { Owner: [publisher], Filter: filtersOf({ name: [name], state: ['available'] }) }
  const { imagesSet } = await askEc2(ec2, { action: 'DescribeImages', region, parameters, signal }, images)
  const [newest] = imagesSet.toSorted((a, b) => b.creationDate.localeCompare(a.creationDate))
  if (newest) return newest
  throw new ProviderError('not_found', {
    vendor: 'AWS',
    status: 200,
    message: msg`AWS has no image of Ubuntu 24.04 in ${region}.`,
    nextAction: msg`Choose another region.`,
  })
}

/** Of SSH and of sites. */
const ports = [22, 80, 443]

const vpcs = z.object({ vpcSet: listOf(z.object({ vpcId: text })) })
const groups = z.object({
  securityGroupInfo: listOf(
    z.object({
      groupId: text,
      ipPermissions: listOf(z.object({ ipProtocol: text, fromPort: z.optional(text), toPort: z.optional(text) })),
    }),
  ),
})

/** Our security group in the region's default network. Ports that it has any rule for stay as they are: somebody may have narrowed one. */
async function ensureGroup(ec2: Ec2, region: string, signal?: AbortSignal): Promise<string> {
  const ask = <T>(action: Ec2Action, parameters: Ec2Parameters, schema: z.ZodMiniType<T>, tries = 5) =>
    askEc2(ec2, { action, region, parameters, tries, signal }, schema)
  const { vpcSet } = await ask('DescribeVpcs', { Filter: filtersOf({ 'is-default': ['true'] }) }, vpcs)
  const VpcId = vpcSet[0]?.vpcId
  if (VpcId === undefined)
    throw new ProviderError('invalid', {
      vendor: 'AWS',
      status: 200,
      message: msg`The account at AWS has no default network in ${region}.`,
      nextAction: msg`Create one in the AWS console under VPC, “Create default VPC”, or choose another region.`,
    })
  let group: z.infer<typeof groups>['securityGroupInfo'][number] | undefined
  let missing: number[] = []
  const find = async () => {
    const Filter = filtersOf({ 'group-name': ['easydash'], 'vpc-id': [VpcId] })
    const [found] = (await ask('DescribeSecurityGroups', { Filter }, groups)).securityGroupInfo
    const tcp = found?.ipPermissions.filter(({ ipProtocol }) => ['tcp', '-1'].includes(ipProtocol)) ?? []
    const has = (port: number) =>
      tcp.some(({ fromPort = '0', toPort = '65535' }) => Number(fromPort) <= port && port <= Number(toPort))
    group = found
    missing = ports.filter((port) => !has(port))
    return found && missing.length === 0 ? found.groupId : null
  }
  const create = async () => {
    const named = { GroupName: 'easydash', GroupDescription: 'Easydash: SSH and websites', VpcId }
    const GroupId = group?.groupId ?? (await ask('CreateSecurityGroup', named, z.object({ groupId: text }), 1)).groupId
    const IpPermissions = missing.map((port) => ({
      IpProtocol: 'tcp',
      FromPort: String(port),
      ToPort: String(port),
      IpRanges: [{ CidrIp: '0.0.0.0/0' }],
      Ipv6Ranges: [{ CidrIpv6: '::/0' }],
    }))
    await ask('AuthorizeSecurityGroupIngress', { GroupId, IpPermissions }, z.object({ return: z.literal('true') }), 1)
    return GroupId
  }
  return createOnce(regionApi(ec2, region, 'CreateSecurityGroup'), { find, create }, signal)
}
