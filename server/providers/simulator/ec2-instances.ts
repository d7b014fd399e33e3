import { visible } from './account.ts'
import {
  instanceBody,
  snapshotBody,
  diskOf,
  stateOf,
  statusAt,
  type Ec2Call,
  type Ec2Instance,
  type Ec2Snapshot,
} from './ec2-account.ts'
import { images, subnetsIn, typesIn } from './ec2-catalog.ts'
import { answer, failure, filtered, listIn, pageOf, tagFilters, tagsIn } from './ec2-protocol.ts'
import type { SimulatedResponse } from './simulated-vendor.ts'

export const invalid = (message: string) => failure(400, 'InvalidParameterValue', message)
export const noAddresses = () => failure(400, 'InsufficientFreeAddressesInSubnet', 'No free addresses')
const missing = (code: string, id: string) => failure(400, code, `The ID '${id}' does not exist`)

export function runInstances(call: Ec2Call): SimulatedResponse {
  const { form, region, state, effect } = call
  const now = state.now()
  const get = (name: string) => form.get(name) ?? ''
  const earlier = region.instances.find(({ token }) => token === get('ClientToken'))
  if (earlier && earlier.order !== form.toString())
    return failure(400, 'IdempotentParameterMismatch', 'The client token was used with other parameters')
  if (earlier) return started(earlier)
  const type = typesIn(region.name).find(({ instanceType }) => instanceType === get('InstanceType'))
  const image = images.find(({ imageId }) => imageId === get('ImageId'))
  const key = region.keys.find(({ name }) => name === get('KeyName'))
  const subnet = subnetsIn(region.name).find(
    ({ subnetId }) => subnetId === (form.get('NetworkInterface.1.SubnetId') ?? subnetId),
  )
  const [groupId = ''] = listIn(form, 'NetworkInterface.1.SecurityGroupId')
  const group = region.groups.find(({ id }) => id === groupId)
  const userData = Buffer.from(get('UserData'), 'base64').toString('utf8')
  const diskGigabytes = Number(form.get('BlockDeviceMapping.1.Ebs.VolumeSize'))
  if (!type) return invalid(`Invalid value '${get('InstanceType')}' for InstanceType.`)
  if (!image) return missing('InvalidAMIID.NotFound', get('ImageId'))
  if (!type.processorInfo.supportedArchitectures.includes(image.architecture))
    return invalid(`The architecture of the image is not that of ${type.instanceType}`)
  if (!key) return missing('InvalidKeyPair.NotFound', get('KeyName'))
  if (!group) return missing('InvalidGroup.NotFound', groupId)
  if (!subnet) return missing('InvalidSubnetID.NotFound', get('NetworkInterface.1.SubnetId'))
  if (get('BlockDeviceMapping.1.DeviceName') !== image.rootDeviceName) return invalid('Not the root device')
  if (!(diskGigabytes >= 8)) return failure(400, 'InvalidBlockDeviceMapping', 'Volume smaller than its snapshot')
  if (Buffer.byteLength(userData) > 16 * 1024) return invalid('User data is limited to 16384 bytes')
  const tags = tagsIn(form)
  // Ubuntu's image lets nobody in as root unless it is told to, and nobody comes through a closed port.
  const isOpen = group.ports.has(22) && /^disable_root: false$/m.test(userData)
  const size = { vcpu: Number(type.vCpuInfo.defaultVCpus), ramBytes: Number(type.memoryInfo.sizeInMiB) * 2 ** 20 }
  const address =
    effect === 'fail_later'
      ? undefined
      : state.cloud?.start({
          name: tags['Name'] ?? '',
          ...size,
          diskBytes: diskGigabytes * 2 ** 30,
          keys: isOpen ? [key.line] : [],
          userData,
        })
  if (address === null) return noAddresses()
  const made: Ec2Instance = {
    id: call.newId('i'),
    tags,
    image: image.imageId,
    key: key.name,
    diskGigabytes,
    order: form.toString(),
    token: get('ClientToken'),
    failsToStart: effect === 'fail_later',
    zone: subnet.availabilityZone,
    address: address ?? `198.19.0.${region.instances.length + 1}`,
    type,
    state: 'pending',
    since: now,
    startedAt: now,
  }
  region.instances.push(made)
  return started(made)
}

const started = (made: Ec2Instance) =>
  answer('RunInstances', {
    reservationId: made.id.replace('i-', 'r-'),
    ownerId: '123456789012',
    instancesSet: [instanceBody(made)],
  })

const instanceFilter = tagFilters<Ec2Instance>((filter) =>
  filter === 'instance-state-name' ? ({ state }) => [state] : undefined,
)

export function describeInstances(call: Ec2Call): SimulatedResponse {
  const { form, region, pageLimit } = call
  const [id] = listIn(form, 'InstanceId')
  const seen = visible(call, region.instances, ({ startedAt }) => startedAt)
  if (id !== undefined && !seen.some((one) => one.id === id)) return missing('InvalidInstanceID.NotFound', id)
  const found = filtered(form, seen, instanceFilter)
  if (!found) return invalid('Unknown filter')
  const { items, more } = pageOf(form, id === undefined ? found : found.filter((one) => one.id === id), pageLimit)
  const reservation = (one: Ec2Instance) => ({
    reservationId: one.id.replace('i-', 'r-'),
    ownerId: '123456789012',
    instancesSet: [instanceBody(one)],
  })
  return answer('DescribeInstances', { reservationSet: items.map(reservation), ...more })
}

/** Changes of the state of one instance, and in which states nothing has to be done or can be done. */
const changes = {
  TerminateInstances: { to: 'shutting-down', done: ['shutting-down', 'terminated'], refused: [] },
  StopInstances: { to: 'stopping', done: ['stopping', 'stopped'], refused: ['pending', 'shutting-down', 'terminated'] },
  StartInstances: { to: 'pending', done: ['pending', 'running'], refused: ['stopping', 'shutting-down', 'terminated'] },
} as const satisfies Record<string, { to: Ec2Instance['state']; done: readonly string[]; refused: readonly string[] }>

export function changeState(call: Ec2Call, action: keyof typeof changes): SimulatedResponse {
  const { form, region, state } = call
  const [id = ''] = listIn(form, 'InstanceId')
  const one = region.instances.find((instance) => instance.id === id)
  if (!one) return missing('InvalidInstanceID.NotFound', id)
  const { to, done, refused } = changes[action]
  const before = one.state
  if ((refused as readonly string[]).includes(before)) return wrongState(id, before)
  if (!(done as readonly string[]).includes(before)) {
    const now = state.now()
    Object.assign(one, { state: to, since: now, ...(to === 'pending' && { startedAt: now }) })
    if (to === 'shutting-down') state.cloud?.stop(one.address)
    else state.cloud?.power(one.address, to === 'pending')
  }
  const change = { instanceId: id, currentState: stateOf(one.state), previousState: stateOf(before) }
  return answer(action, { instancesSet: [change] })
}

const wrongState = (id: string, state: string) =>
  failure(400, 'IncorrectInstanceState', `The instance '${id}' is not in a state for this: ${state}`)

export function rebootInstances({ form, region, state }: Ec2Call): SimulatedResponse {
  const [id = ''] = listIn(form, 'InstanceId')
  const one = region.instances.find((instance) => instance.id === id)
  if (!one) return missing('InvalidInstanceID.NotFound', id)
  if (one.state !== 'running') return wrongState(id, one.state)
  state.cloud?.power(one.address, false)
  state.cloud?.power(one.address, true)
  return answer('RebootInstances', { return: 'true' })
}

export function modifyInstance({ form, region }: Ec2Call): SimulatedResponse {
  const id = form.get('InstanceId') ?? ''
  const one = region.instances.find((instance) => instance.id === id)
  const type = typesIn(region.name).find(({ instanceType }) => instanceType === form.get('InstanceType.Value'))
  if (!one) return missing('InvalidInstanceID.NotFound', id)
  if (!type) return invalid(`Invalid value '${form.get('InstanceType.Value')}' for InstanceType.`)
  if (one.state !== 'stopped') return wrongState(id, one.state)
  one.type = type
  return answer('ModifyInstanceAttribute', { return: 'true' })
}

export function createSnapshot(call: Ec2Call): SimulatedResponse {
  const { form, region, state, effect } = call
  const now = state.now()
  const volume = form.get('VolumeId') ?? ''
  const one = region.instances.find((instance) => diskOf(instance) === volume && instance.state !== 'terminated')
  if (!one) return missing('InvalidVolume.NotFound', volume)
  const made = {
    id: call.newId('snap'),
    tags: tagsIn(form),
    description: form.get('Description') ?? '',
    volume,
    gigabytes: one.diskGigabytes,
    madeAt: now,
    fails: effect === 'fail_later',
  }
  region.snapshots.push(made)
  return answer('CreateSnapshot', snapshotBody(now, made))
}

export function describeSnapshots(call: Ec2Call): SimulatedResponse {
  const { form, region, state, pageLimit } = call
  const now = state.now()
  const [id] = listIn(form, 'SnapshotId')
  if (id !== undefined && !region.snapshots.some((one) => one.id === id)) return missing('InvalidSnapshot.NotFound', id)
  const found = filtered(
    form,
    visible(call, region.snapshots, ({ madeAt }) => madeAt),
    tagFilters<Ec2Snapshot>((filter) => (filter === 'status' ? (one) => [statusAt(now, one)] : undefined)),
  )
  if (!found) return invalid('Unknown filter')
  const { items, more } = pageOf(form, id === undefined ? found : found.filter((one) => one.id === id), pageLimit)
  return answer('DescribeSnapshots', { snapshotSet: items.map((one) => snapshotBody(now, one)), ...more })
}
