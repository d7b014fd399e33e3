import { iso, type AccountOptions } from './account.ts'
import type { Ec2Type } from './ec2-catalog.ts'
import { tagSet } from './ec2-protocol.ts'

/** Everything a request needs. */
export interface Ec2Call {
  readonly region: Ec2Region
  readonly form: URLSearchParams
  readonly state: Pick<AccountOptions, 'now' | 'cloud'>
  /** Most entries of a page. */
  readonly pageLimit: number
  readonly effect: 'lag' | 'fail_later' | null
  /** Another id at each call, e.g. `i-0…01`. */
  newId(kind: string): string
}

/** What an account has in a region. */
export interface Ec2Region {
  readonly name: string
  readonly keys: { readonly name: string; readonly line: string }[]
  readonly groups: { readonly id: string; readonly name: string; readonly ports: Set<number> }[]
  readonly instances: Ec2Instance[]
  readonly snapshots: Ec2Snapshot[]
}

/** A virtual machine; what happens to it follows from what was asked for and the time. */
export interface Ec2Instance {
  readonly id: string
  readonly tags: Readonly<Record<string, string>>
  readonly image: string
  readonly key: string
  readonly diskGigabytes: number
  /** The request that made it. */
  readonly order: string
  readonly token: string
  readonly failsToStart: boolean
  readonly address: string
  readonly zone: string
  type: Ec2Type
  state: Ec2State
  /** Of the last change of its state. */
  since: number
  startedAt: number
}

type Ec2State = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated'

/** What a state leads to, and after how many milliseconds. */
const transitions: Partial<Record<Ec2State, readonly [Ec2State, number]>> = {
  pending: ['running', 5000],
  stopping: ['stopped', 3000],
  'shutting-down': ['terminated', 1000],
}

const codes: Readonly<Record<Ec2State, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
}

/** How long an instance is shown after its end. */
const shownMs = 3_600_000

/** Lets the time pass in a region. */
export function settle({ instances }: Ec2Region, now: number): void {
  for (const one of instances) {
    const [next, ms] = transitions[one.state] ?? [one.state, Infinity]
    if (now - one.since < ms) continue
    one.state = one.failsToStart && next === 'running' ? 'terminated' : next
    one.since += ms
  }
  const shown = instances.filter(({ state, since }) => state !== 'terminated' || now - since < shownMs)
  instances.splice(0, Infinity, ...shown)
}

export const stateOf = (state: Ec2State) => ({ code: String(codes[state]), name: state })

/** An instance in the API's form. */
export function instanceBody(one: Ec2Instance) {
  return {
    instanceId: one.id,
    imageId: one.image,
    instanceState: stateOf(one.state),
    keyName: one.key,
    amiLaunchIndex: '0',
    instanceType: one.type.instanceType,
    launchTime: iso(one.startedAt),
    placement: { availabilityZone: one.zone, tenancy: 'default' },
    ...(one.state === 'running' && { ipAddress: one.address }),
    ...(one.state === 'terminated' && { stateReason: endOf(one) }),
    architecture: one.type.processorInfo.supportedArchitectures[0] ?? '',
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/sda1',
    // A new one has no disk yet, and one that is gone has it no more.
    blockDeviceMapping: ['pending', 'terminated'].includes(one.state)
      ? []
      : [{ deviceName: '/dev/sda1', ebs: { volumeId: diskOf(one), status: 'attached', deleteOnTermination: 'true' } }],
    virtualizationType: 'hvm',
    clientToken: one.token,
    tagSet: tagSet(one.tags),
  }
}

const endOf = ({ failsToStart }: Ec2Instance) =>
  failsToStart
    ? { code: 'Client.VolumeLimitExceeded', message: 'Client.VolumeLimitExceeded: Volume limit exceeded' }
    : { code: 'Client.UserInitiatedShutdown', message: 'Client.UserInitiatedShutdown: User initiated shutdown' }

export const diskOf = ({ id }: Ec2Instance) => id.replace('i-', 'vol-')

export interface Ec2Snapshot {
  readonly id: string
  readonly tags: Readonly<Record<string, string>>
  readonly description: string
  readonly volume: string
  readonly gigabytes: number
  readonly madeAt: number
  readonly fails: boolean
}

const snapshotMs = 30_000

export function statusAt(now: number, { madeAt, fails }: Ec2Snapshot): string {
  if (now - madeAt < snapshotMs) return 'pending'
  return fails ? 'error' : 'completed'
}

/** A snapshot in the API's form. */
export function snapshotBody(now: number, one: Ec2Snapshot) {
  const status = statusAt(now, one)
  return {
    snapshotId: one.id,
    volumeId: one.volume,
    status,
    ...(status === 'error' && { statusMessage: 'The volume could not be read' }),
    startTime: iso(one.madeAt),
    progress: status === 'pending' ? '' : '100%',
    ownerId: '123456789012',
    volumeSize: String(one.gigabytes),
    description: one.description,
    tagSet: tagSet(one.tags),
    ...(status === 'completed' && { fullSnapshotSizeInBytes: String(3 * 2 ** 30) }),
  }
}
