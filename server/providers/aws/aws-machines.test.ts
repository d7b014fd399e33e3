import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failureOf } from '#tests/contracts/provider.contract.ts'
import { publicKey } from '#tests/contracts/provider-machines.contract.ts'
import { providerCases, secrets, type ProviderUnderTest } from '#tests/contracts/provider-under-test.ts'
import type { MachineOrder, Machines } from '../provider.ts'
import type { VendorTransport } from '../vendor-api.ts'
import { aws } from './aws.ts'

const region = 'eu-central-1'
const order = (changes: Partial<MachineOrder> = {}): MachineOrder => ({
  operation: 'op1',
  name: 'web-1.acme.example',
  region,
  type: 't3.small',
  diskGigabytes: 60,
  keys: [],
  userData: '#cloud-config\n',
  labels: {},
  ...changes,
})

describe('machines at AWS', () => {
  let at: ProviderUnderTest
  let machines: Machines
  beforeEach(async () => {
    const found = providerCases.find(({ name }) => name === 'AWS')
    at = (await found?.start()) ?? expect.fail('No AWS')
    machines = at.open().machines
  })
  afterEach(async () => {
    await at.vendor.close()
    expect(at.vendor.problems).toEqual([])
  })
  const create = async (changes: Partial<MachineOrder> = {}) => {
    const where = changes.region ?? region
    return machines.create(order({ ...changes, keys: [await machines.ensureKey(publicKey, where)] }))
  }
  /** The parameters of the requests for an action. */
  const sent = (action: string) =>
    at.vendor.seen
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      .filter((form) => form['Action'] === action)

  /** Zones, by the letter of the simulator's subnets, and tokens of the attempts to create. */
  const attempts = () =>
    sent('RunInstances').map((form) => [form['NetworkInterface.1.SubnetId']?.at(-1) ?? '-', form['ClientToken'] ?? ''])
  const noCapacity = { kind: 'out_of_stock', on: 'POST / Action=RunInstances&' } as const

  test('are launched in another zone when the one that AWS chose has no capacity, each attempt with a token of its own', async () => {
    at.faults.push({ ...noCapacity, times: 2 })
    const { id } = await create()
    expect(attempts().map(([zone]) => zone)).toEqual(['-', 'a', 'b'])
    const tokens = attempts().map(([, token]) => token)
    expect(tokens[0]).toBe('op1')
    expect(new Set(tokens).size).toBe(3)
    for (const token of tokens) expect(token).toMatch(/^[!-~]{1,64}$/)
    const [first, ...others] = sent('RunInstances').map(
      ({ ClientToken: _token, 'NetworkInterface.1.SubnetId': _subnet, ...form }) => form,
    )
    expect(others).toEqual([first, first])
    expect((await create()).id).toBe(id)
    expect(at.contentsOf(secrets.full).servers).toHaveLength(1)
  })

  test('are launched in another zone when one has no free addresses, and all that lack them is a limit of the account', async () => {
    const noAddresses = { kind: 'no_addresses', on: noCapacity.on } as const
    at.faults.push(noAddresses, noCapacity, noAddresses)
    await create()
    expect(attempts().map(([zone]) => zone)).toEqual(['-', 'a', 'b', 'c'])
    at.faults.push({ ...noAddresses, times: 4 })
    expect(await failureOf(create({ operation: 'op2' }))).toMatchObject({ kind: 'quota' })
    expect(at.contentsOf(secrets.full).servers).toHaveLength(1)
  })

  test('are launched once in another zone, also if the answer is lost and lists do not show it yet', async () => {
    at.faults.push({ ...noCapacity }, { kind: 'lose_answer', on: noCapacity.on, after: 1 })
    at.faults.push({ kind: 'lag', on: 'POST / Action=DescribeInstances&', times: 5 })
    await create()
    expect(attempts().map(([zone]) => zone)).toEqual(['-', 'a', 'a'])
    expect(at.contentsOf(secrets.full).servers).toHaveLength(1)
  })

  test('are sold out when all zones are; what else a zone refuses is said', async () => {
    at.faults.push({ ...noCapacity, times: 4 })
    expect(await failureOf(create())).toMatchObject({ kind: 'out_of_stock' })
    expect(attempts().map(([zone]) => zone)).toEqual(['-', 'a', 'b', 'c'])
    at.faults.push(noCapacity, { kind: 'quota', on: noCapacity.on })
    expect(await failureOf(create({ operation: 'op2' }))).toMatchObject({ kind: 'quota' })
  })

  test('are not interrupted while they start, and not off while they stop', async () => {
    const { id } = await create()
    expect(await failureOf(machines.powerOff(id))).toMatchObject({ kind: 'conflict' })
    at.pass(10_000)
    await machines.powerOff(id)
    expect(await machines.observe(id)).toMatchObject({ status: 'unknown', ipv4: null })
    const refused = { kind: 'conflict', retryable: false }
    expect(await failureOf(machines.changeType(id, 't3.medium'))).toMatchObject(refused)
    expect(await failureOf(machines.powerOn(id))).toMatchObject(refused)
    at.pass(10_000)
    expect(await machines.observe(id)).toMatchObject({ status: 'off' })
  })

  test('are known by their region, and only by their own id', async () => {
    const far = await create({ region: 'ap-east-1', operation: 'op2' })
    const near = await create()
    expect(far.id).toMatch(/^ap-east-1\/i-[0-9a-f]{17}$/)
    expect((await machines.list({ name: 'easydash-op' })).map(({ id }) => id).toSorted()).toEqual([far.id, near.id])
    expect(await machines.observe(near.id.replace(region, 'us-east-1'))).toBeNull()
    for (const id of ['i-0123456789abcdef0', `${region}/../i-01234567`, `evil.example/i-01234567`, `${region}/i-%`])
      await expect(machines.observe(id)).rejects.toThrow('Not an id')
  })

  test('have Canonical’s newest image for their type, the disk ordered, a public address and no open metadata', async () => {
    await create()
    await create({ operation: 'op2', type: 't4g.small' })
    expect(sent('RunInstances')).toMatchObject([
      {
        ImageId: 'ami-0aaaaaaaaaaaaaa02',
        'BlockDeviceMapping.1.DeviceName': '/dev/sda1',
        'BlockDeviceMapping.1.Ebs.VolumeSize': '60',
        'BlockDeviceMapping.1.Ebs.VolumeType': 'gp3',
        'NetworkInterface.1.AssociatePublicIpAddress': 'true',
        'MetadataOptions.HttpTokens': 'required',
      },
      { ImageId: 'ami-0aaaaaaaaaaaaaa03' },
    ])
  })

  test.each(['CreateSecurityGroup', 'AuthorizeSecurityGroupIngress', 'RunInstances'])(
    'share one security group and are one, also if the answer to %s is lost',
    async (action) => {
      at.faults.push({ kind: 'lose_answer', on: `POST / Action=${action}&` })
      const made = await create()
      expect((await create()).id).toBe(made.id)
      await create({ operation: 'op2' })
      const opened = sent('AuthorizeSecurityGroupIngress').map((form) =>
        [1, 2, 3].map((rule) => form[`IpPermissions.${rule}.FromPort`]),
      )
      expect(opened).toEqual([['22', '80', '443']])
      expect(sent('CreateSecurityGroup')).toHaveLength(1)
      expect(at.contentsOf(secrets.full).servers).toHaveLength(2)
    },
  )

  test('are there right after their order, although EC2 does not find them yet, and gone when they are terminated', async () => {
    const { id } = await create()
    at.faults.push({ kind: 'lag', on: 'POST / Action=DescribeInstances&', times: 2 })
    expect(await machines.observe(id)).toMatchObject({ id, status: 'starting' })
    await machines.delete(id)
    expect(await machines.observe(id)).toMatchObject({ status: 'deleting' })
    at.pass(2000)
    expect(await machines.observe(id)).toBeNull()
    expect(await machines.list({ name: 'easydash-op' })).toEqual([])
    // EC2 has forgotten it.
    at.pass(4_000_000)
    expect(await machines.observe(id)).toBeNull()
    await machines.delete(id)
  })

  test('have snapshots of their disk in their region, as soon as they have one', async () => {
    const { id } = await create()
    const ordered = { operation: 'op9', machine: id, label: 'Before the upgrade' }
    expect(await failureOf(machines.snapshot(ordered))).toMatchObject({ kind: 'not_found' })
    at.pass(10_000)
    const made = await machines.snapshot(ordered)
    expect(made).toEqual({ id: expect.stringMatching(/^eu-central-1\/snap-/), status: 'creating', sizeBytes: null })
    at.pass(60_000)
    expect(await machines.observeSnapshot(made.id)).toMatchObject({ sizeBytes: 3 * 2 ** 30 })
    expect(await machines.observeSnapshot(`${region}/snap-01234567`)).toBeNull()
    at.faults.push({ kind: 'fail_later', on: 'POST / Action=CreateSnapshot&' })
    const failing = await machines.snapshot({ ...ordered, operation: 'op10' })
    at.pass(60_000)
    expect(await failureOf(machines.observeSnapshot(failing.id))).toMatchObject({
      words: 'The volume could not be read',
    })
  })

  test('in a region that is not enabled are refused for the region, not for the key', async () => {
    const disabled = { kind: 'wrong_scope', message: 'The region af-south-1 is not enabled in the account at AWS.' }
    expect(await failureOf(machines.ensureKey(publicKey, 'af-south-1'))).toMatchObject(disabled)
    expect(await failureOf(machines.create(order({ region: 'af-south-1' })))).toMatchObject(disabled)
    expect(await failureOf(at.open('some-other-key').machineTypes(region))).toMatchObject({ kind: 'wrong_key' })
  })
})

/** Machines at a vendor that gives one answer to everything. `asked` gets the forms of the requests. */
function answering(
  status: number,
  body: string,
  asked: string[] = [],
  refusals: Readonly<Record<string, readonly [status: number, code: string]>> = {},
): Machines {
  const transport: VendorTransport = {
    ask: (_url, request) => {
      asked.push(String(request.body))
      const [refused, code] = refusals[new URLSearchParams(String(request.body)).get('Action') ?? ''] ?? []
      return Promise.resolve({
        status: refused ?? status,
        headers: {},
        body: Buffer.from(code === undefined ? body : errorBody(code)),
      })
    },
    now: () => 0,
    sleep: () => Promise.resolve(),
    random: () => 0,
  }
  const account = { accessKey: secrets.accessKey, secretKey: secrets.full }
  return aws(account, null, transport).machines
}

const errorBody = (code: string) =>
  `<Response><Errors><Error><Code>${code}</Code><Message>Not for ${secrets.accessKey}</Message></Error></Errors></Response>`

const one = (fields: string) =>
  `<R><requestId>1</requestId><reservationSet><item><instancesSet><item>${fields}</item></instancesSet></item></reservationSet></R>`
const running = '<instanceState><name>running</name></instanceState><instanceType>t3.small</instanceType>'
const id = '<instanceId>i-01234567</instanceId><launchTime>2026-01-01T00:00:00.000Z</launchTime>'

test.each([
  ['no XML', '{"reservationSet":[]}'],
  ['entities that expand', `<!DOCTYPE R [<!ENTITY a "aaaa">]>${one(`${id}${running}`)}`],
  ['an id that is a path', one(`<instanceId>i-../../01</instanceId><launchTime>x</launchTime>${running}`)],
  ['a text for a list', '<R><reservationSet>many</reservationSet></R>'],
  ['a state without a name', one(`${id}<instanceState/><instanceType>t3.small</instanceType>`)],
  ['a list that does not end', `<R><reservationSet/><nextToken>again</nextToken></R>`],
])('an answer with %s is neither a machine nor the absence of one', async (_name, body) => {
  const machines = answering(200, body)
  expect(await failureOf(machines.observe(`${region}/i-01234567`))).toMatchObject({ kind: 'unexpected' })
  expect(await failureOf(machines.list({ name: 'easydash-op' }))).toMatchObject({ kind: 'unexpected' })
})

const nothing = ['reservationSet', 'instanceTypeSet', 'imagesSet', 'vpcSet'].map((list) => `<${list}/>`).join('')
const images =
  '<imagesSet><item><imageId>ami-1</imageId><creationDate>x</creationDate><rootDeviceName>/dev/sda1</rootDeviceName></item></imagesSet>'

test.each([
  ['not_found', 'AWS has no image of Ubuntu 24.04 in eu-central-1.', nothing],
  ['invalid', 'The account at AWS has no default network in eu-central-1.', nothing.replace('<imagesSet/>', images)],
])('what a region lacks for a machine is said: %s', async (kind, message, fields) => {
  const failure = await failureOf(answering(200, `<R>${fields}</R>`).create(order()))
  expect(failure).toMatchObject({ kind, message, nextAction: expect.anything() })
})

test('a security group that somebody narrowed is only opened where it has no rule', async () => {
  const asked: string[] = []
  const rule = (protocol: string, port: number) =>
    `<item><ipProtocol>${protocol}</ipProtocol><fromPort>${port}</fromPort><toPort>${port}</toPort></item>`
  const group = `<item><groupId>sg-1</groupId><ipPermissions>${rule('tcp', 22)}${rule('udp', 443)}</ipPermissions></item>`
  const fields = `${nothing.replace('<imagesSet/>', images).replace('<vpcSet/>', '<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet>')}
    <securityGroupInfo>${group}</securityGroupInfo><return>true</return><instancesSet><item>${id}${running}</item></instancesSet>`
  await answering(200, `<R>${fields}</R>`, asked).create(order())
  const opened = asked
    .map((form) => new URLSearchParams(form))
    .filter((form) => form.get('Action') === 'AuthorizeSecurityGroupIngress')
    .map((form) => [...form].filter(([name]) => name.endsWith('.FromPort')).map(([, port]) => port))
  expect(opened).toEqual([['80', '443']])
})

test('a key that must not read zones is told of the capacity, not of its rights', async () => {
  const rule = '<item><ipProtocol>-1</ipProtocol></item>'
  const group = `<item><groupId>sg-1</groupId><ipPermissions>${rule}</ipPermissions></item>`
  const fields = `${nothing.replace('<imagesSet/>', images).replace('<vpcSet/>', '<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet>')}
    <securityGroupInfo>${group}</securityGroupInfo>`
  const refusals = {
    RunInstances: [500, 'InsufficientInstanceCapacity'],
    DescribeSubnets: [403, 'UnauthorizedOperation'],
  } as const
  const machines = answering(200, `<R>${fields}</R>`, [], refusals)
  expect(await failureOf(machines.create(order()))).toMatchObject({ kind: 'out_of_stock' })
})

test('an address that is none, and tags with any names, do no harm', async () => {
  const tags = '<tagSet><item><key>__proto__</key><value>x</value></item></tagSet>'
  const machine = await answering(200, one(`${id}${running}<ipAddress>evil.example</ipAddress>${tags}`)).observe(
    `${region}/i-01234567`,
  )
  expect(machine).toMatchObject({ ipv4: null, name: 'i-01234567' })
  expect(Object.getPrototypeOf(machine?.labels)).toBe(Object.prototype)
})

test.each([
  [400, 'VcpuLimitExceeded', 'quota', false],
  [400, 'SnapshotLimitExceeded', 'quota', false],
  [500, 'InsufficientInstanceCapacity', 'out_of_stock', false],
  [400, 'Unsupported', 'out_of_stock', false],
  [403, 'UnauthorizedOperation', 'wrong_scope', false],
  [401, 'AuthFailure', 'wrong_key', false],
  [400, 'OperationNotPermitted', 'invalid', false],
  [503, 'RequestLimitExceeded', 'rate_limited', true],
  [400, 'IncorrectInstanceState', 'conflict', false],
  [400, 'IdempotentParameterMismatch', 'conflict', true],
])('an error %i %s is of kind %s', async (status, code, kind, retryable) => {
  const machines = answering(status, errorBody(code))
  const failure = await failureOf(machines.powerOn('us-east-1/i-01234567'))
  expect(failure).toMatchObject({ kind, retryable, vendorCode: code, words: 'Not for *****' })
})
