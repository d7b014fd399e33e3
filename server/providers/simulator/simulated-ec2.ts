import { awsHeaders, type AwsKeys } from '#server/platform/network/aws-signature.ts'
import type { Access, AccountOptions, Contents } from './account.ts'
import { settle, type Ec2Call, type Ec2Region } from './ec2-account.ts'
import { imageFilter, images, regions, subnetFilter, subnetsIn, typeFilter, typesIn, vpcId } from './ec2-catalog.ts'
import {
  changeState,
  createSnapshot,
  describeInstances,
  describeSnapshots,
  invalid,
  modifyInstance,
  noAddresses,
  rebootInstances,
  runInstances,
} from './ec2-instances.ts'
import { answer, failure, filtered, listIn, pageOf } from './ec2-protocol.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

/** Keys the vendor knows; each belongs to another account. */
interface Ec2Keys extends AwsKeys {
  readonly access: Access
}

export interface Ec2Options extends Omit<AccountOptions, 'tokens'> {
  readonly keys: readonly Ec2Keys[]
  /** Regions that need an opt-in and have it. */
  readonly optedIn?: readonly string[]
}

interface State extends Ec2Options {
  /** By secret key and region. */
  readonly accounts: Map<string, Map<string, Ec2Region>>
  lastId: number
}

/** AWS EC2 as far as Easydash uses it. It recomputes the signature of every request. */
export function simulatedEc2(options: Ec2Options): SimulatedVendor & {
  /** Names of what the account of a secret key has. */
  contentsOf(secretKey: string): Contents
} {
  const state: State = { ...options, accounts: new Map(), lastId: 0 }
  return {
    respond: (request, effect) => respond(state, request, effect),
    errorOf,
    contentsOf: (secretKey) => {
      const all = [...(state.accounts.get(secretKey)?.values() ?? [])]
      for (const region of all) settle(region, state.now())
      const instances = all.flatMap((region) => region.instances)
      const kept = instances.filter((one) => !['shutting-down', 'terminated'].includes(one.state))
      const nameOf = ({ tags }: { tags: Readonly<Record<string, string>> }) => tags['Name'] ?? ''
      return {
        servers: kept.map(nameOf),
        keys: all.flatMap((region) => region.keys.map(({ name }) => name)),
        snapshots: all.flatMap((region) => region.snapshots.map(nameOf)),
      }
    },
  }
}

function errorOf({ kind, retryAfterSeconds: wait }: Fault): SimulatedResponse {
  if (kind === 'quota')
    return failure(
      400,
      'VcpuLimitExceeded',
      'You have requested more vCPU capacity than your current limit of 5 allows',
    )
  if (kind === 'out_of_stock')
    return failure(500, 'InsufficientInstanceCapacity', 'We currently do not have sufficient capacity')
  if (kind === 'no_addresses') return noAddresses()
  if (kind !== 'rate_limit') return failure(500, 'InternalError', 'An internal error has occurred')
  const headers: Record<string, string> = wait === undefined ? {} : { 'retry-after': String(wait) }
  return failure(503, 'RequestLimitExceeded', 'Request limit exceeded.', headers)
}

async function respond(
  state: State,
  request: ReceivedRequest,
  effect: Ec2Call['effect'],
): Promise<SimulatedResponse | null> {
  const form = new URLSearchParams(request.body)
  if (request.method !== 'POST' || form.get('Version') !== '2016-11-15') return null
  const [, accessKey = '', name = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\w{1,128})\/\d{8}\/([a-z0-9-]{1,40})\/ec2\/aws4_request,/.exec(
      String(request.headers['authorization']),
    ) ?? []
  const signer = await signerOf(state, request, name)
  // The messages name the key, as the vendor's sometimes do.
  if (!signer || !isEnabled(state, name)) return failure(401, 'AuthFailure', `Not valid: ${accessKey}`)
  const action = form.get('Action') ?? ''
  const isAllowed = signer.access === 'full' || (signer.access === 'read' && action.startsWith('Describe'))
  if (!isAllowed) return failure(403, 'UnauthorizedOperation', `${accessKey} may not perform ec2:${action}`)
  const region = regionOf(state, signer, name)
  settle(region, state.now())
  const newId = (kind: string) => `${kind}-${(state.lastId += 1).toString(16).padStart(17, '0')}`
  // As for types.
  const { pageLimit = 100 } = state
  return act(state, action, { region, form, state, pageLimit, effect, newId })
}

function act(state: State, action: string, call: Ec2Call): SimulatedResponse | null {
  switch (action) {
    case 'DescribeRegions':
      return answer(action, { regionInfo: regionsOf(state, call.form) })
    case 'DescribeInstanceTypes':
      return describeTypes(call)
    case 'DescribeImages':
      return describeImages(call)
    case 'DescribeVpcs':
      return answer(action, { vpcSet: [{ vpcId, state: 'available', isDefault: 'true' }] })
    case 'DescribeSubnets':
      return describeSubnets(call)
    case 'DescribeKeyPairs':
      return describeKeys(call)
    case 'ImportKeyPair':
      return importKey(call)
    case 'DescribeSecurityGroups':
      return describeGroups(call)
    case 'CreateSecurityGroup':
      return createGroup(call)
    case 'AuthorizeSecurityGroupIngress':
      return authorizeIngress(call)
    case 'RunInstances':
      return runInstances(call)
    case 'DescribeInstances':
      return describeInstances(call)
    case 'TerminateInstances':
    case 'StopInstances':
    case 'StartInstances':
      return changeState(call, action)
    case 'RebootInstances':
      return rebootInstances(call)
    case 'ModifyInstanceAttribute':
      return modifyInstance(call)
    case 'CreateSnapshot':
      return createSnapshot(call)
    case 'DescribeSnapshots':
      return describeSnapshots(call)
    default:
      return null
  }
}

function regionOf({ accounts }: State, { secretKey }: Ec2Keys, name: string): Ec2Region {
  const account = accounts.get(secretKey) ?? new Map<string, Ec2Region>()
  accounts.set(secretKey, account)
  const region = account.get(name) ?? { name, keys: [], groups: [], instances: [], snapshots: [] }
  account.set(name, region)
  return region
}

async function signerOf({ keys }: State, request: ReceivedRequest, region: string): Promise<Ec2Keys | null> {
  for (const one of keys) if (await isSignedBy(request, one, { service: 'ec2', region })) return one
  return null
}

/** Recomputes the signature over what was received, as the vendor does. */
async function isSignedBy(
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

const isEnabled = ({ optedIn = [] }: State, region: string) =>
  regions[region] === false || (regions[region] === true && optedIn.includes(region))

function regionsOf(state: State, form: URLSearchParams) {
  const all = Object.entries(regions).map(([regionName, needsOptIn]) => ({
    optInStatus: !needsOptIn ? 'opt-in-not-required' : isEnabled(state, regionName) ? 'opted-in' : 'not-opted-in',
    regionName,
    regionEndpoint: `ec2.${regionName}.amazonaws.com`,
  }))
  return all.filter(({ optInStatus }) => form.get('AllRegions') === 'true' || optInStatus !== 'not-opted-in')
}

function describeTypes({ form, region, pageLimit }: Ec2Call): SimulatedResponse {
  const all = typesIn(region.name)
  const named = listIn(form, 'InstanceType')
  const unknown = named.filter((name) => !all.some(({ instanceType }) => instanceType === name))
  if (unknown.length > 0)
    return failure(
      400,
      'InvalidInstanceType',
      `The following supplied instance types do not exist: [${unknown.join()}]`,
    )
  const found = filtered(form, all, typeFilter)
  if (!found) return invalid('Unknown filter')
  const wanted = found.filter(({ instanceType }) => named.length === 0 || named.includes(instanceType))
  const { items, more } = pageOf(form, wanted, pageLimit)
  return answer('DescribeInstanceTypes', { instanceTypeSet: items, ...more })
}

function describeImages({ form }: Ec2Call): SimulatedResponse {
  const owners = listIn(form, 'Owner')
  const found = filtered(form, images, imageFilter)
  return found
    ? answer('DescribeImages', { imagesSet: found.filter(({ imageOwnerId }) => owners.includes(imageOwnerId)) })
    : invalid('Unknown filter')
}

function describeSubnets({ form, region, pageLimit }: Ec2Call): SimulatedResponse {
  const found = filtered(form, subnetsIn(region.name), subnetFilter)
  if (!found) return invalid('Unknown filter')
  const { items, more } = pageOf(form, found, pageLimit)
  return answer('DescribeSubnets', { subnetSet: items, ...more })
}

function describeKeys({ form, region }: Ec2Call): SimulatedResponse {
  const found = filtered(form, region.keys, (filter) => (filter === 'key-name' ? ({ name }) => [name] : undefined))
  if (!found) return invalid('Unknown filter')
  const isShown = form.get('IncludePublicKey') === 'true'
  return answer('DescribeKeyPairs', {
    keySet: found.map(({ name, line }) => ({ keyName: name, ...(isShown && { publicKey: `${line} ${name}\n` }) })),
  })
}

function importKey({ form, region }: Ec2Call): SimulatedResponse {
  const name = form.get('KeyName') ?? ''
  const line = Buffer.from(form.get('PublicKeyMaterial') ?? '', 'base64').toString('utf8')
  if (!/^ssh-(?:ed25519|rsa) [A-Za-z0-9+/]+={0,2}$/.test(line))
    return failure(400, 'InvalidKey.Format', 'Key is not in valid OpenSSH public key format')
  if (region.keys.some((key) => key.name === name))
    return failure(400, 'InvalidKeyPair.Duplicate', `The keypair '${name}' already exists.`)
  region.keys.push({ name, line })
  return answer('ImportKeyPair', { keyName: name })
}

function describeGroups({ form, region }: Ec2Call): SimulatedResponse {
  const found = filtered(form, region.groups, (filter) =>
    filter === 'group-name' ? ({ name }) => [name] : filter === 'vpc-id' ? () => [vpcId] : undefined,
  )
  if (!found) return invalid('Unknown filter')
  return answer('DescribeSecurityGroups', {
    securityGroupInfo: found.map(({ id, name, ports }) => ({
      groupId: id,
      groupName: name,
      ipPermissions: [...ports].map((port) => ({ ipProtocol: 'tcp', fromPort: String(port), toPort: String(port) })),
    })),
  })
}

function createGroup({ form, region, newId }: Ec2Call): SimulatedResponse {
  const name = form.get('GroupName') ?? ''
  if (region.groups.some((group) => group.name === name))
    return failure(400, 'InvalidGroup.Duplicate', `The security group '${name}' already exists`)
  const id = newId('sg')
  region.groups.push({ id, name, ports: new Set() })
  return answer('CreateSecurityGroup', { groupId: id })
}

function authorizeIngress({ form, region }: Ec2Call): SimulatedResponse {
  const group = region.groups.find(({ id }) => id === form.get('GroupId'))
  if (!group) return failure(400, 'InvalidGroup.NotFound', `The security group '${form.get('GroupId')}' does not exist`)
  const ports = [...form].flatMap(([name, port]) => (/^IpPermissions\.\d+\.FromPort$/.test(name) ? [Number(port)] : []))
  if (ports.some((port) => group.ports.has(port)))
    return failure(400, 'InvalidPermission.Duplicate', 'The specified rule already exists')
  for (const port of ports) group.ports.add(port)
  return answer('AuthorizeSecurityGroupIngress', { return: 'true' })
}
