/** Providers with the simulator they talk to, on virtual time. */
import { expect } from 'vitest'
import type { ProviderErrorKind } from '#server/providers/provider-error.ts'
import type { Provider } from '#server/providers/provider.ts'
import { createProviders, type Providers } from '#server/providers/providers.ts'
import type { AccountOptions, Contents } from '#server/providers/simulator/account.ts'
import { withFaults, type Fault, type SimulatedVendor } from '#server/providers/simulator/faults.ts'
import { simulatedDigitalOcean } from '#server/providers/simulator/simulated-digitalocean.ts'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { ec2Judge } from './vendors/ec2-judge.ts'
import { openApiJudge, type Judge } from './vendors/openapi-judge.ts'

/** Credentials the simulators know: in full, read-only, without rights; and of a second project. */
export const secrets = {
  full: 'full-key-0123456789',
  read: 'read-key-0123456789',
  none: 'none-key-0123456789',
  other: 'other-key-0123456789',
  /** The public half of AWS's keys, which its messages may repeat. */
  accessKey: 'AKIAFULL',
}

/** A provider for one of the credentials, or any others. */
export interface ProviderUnderTest {
  open(secret?: string): Provider
  readonly vendor: VendorServer
  /** Faults of the next requests. */
  readonly faults: Fault[]
  /** Waits between attempts in milliseconds; they take no time. */
  readonly waits: number[]
  /** Lets virtual time pass. */
  pass(ms: number): void
  /** Names of what a project has at the vendor. */
  contentsOf(secret: string): Contents
}

async function start(
  vendor: SimulatedVendor,
  judge: Judge,
  time: VirtualTime,
  open: (providers: Providers, secret: string) => Provider,
): Promise<Omit<ProviderUnderTest, 'contentsOf'>> {
  const faults: Fault[] = []
  const server = await serveVendor(withFaults(vendor, faults), { judge })
  const { url } = server
  const endpoints = { hetzner: url, digitalocean: url, awsEc2: url, awsS3: url, wpcloud: url, github: url, slack: url }
  const providers = createProviders({ endpoints, allowPrivateCidrs: [], addressMap: {} }, { clock: time })
  return {
    open: (secret = secrets.full) => open(providers, secret),
    vendor: server,
    faults,
    waits: time.waits,
    pass: time.pass,
  }
}

class VirtualTime {
  readonly waits: number[] = []
  #now = Date.UTC(2026, 0, 1)
  readonly now = (): number => this.#now
  readonly random = (): number => 0.5
  readonly pass = (ms: number): void => void (this.#now += ms)
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    this.waits.push(ms)
    this.pass(ms)
    return Promise.resolve()
  }
}

const tokens: AccountOptions['tokens'] = {
  [secrets.full]: 'full',
  [secrets.other]: 'full',
  [secrets.read]: 'read',
  [secrets.none]: 'none',
}

/** What a vendor calls its machine types, and how it is asked. */
export interface MachineFacts {
  readonly type: string
  /** Another one with a disk of the same size or a larger one. */
  readonly largerType: string
  readonly region: string
  /** Beginning of the request that creates, as faults name it. */
  readonly createRequest: string
  /** Beginning of the request that lists. */
  readonly listRequest: string
  /** Beginning of the request that deletes. */
  readonly deleteRequest: string
  /** Beginnings of the requests for what is done with one. */
  readonly requests: Readonly<Record<'powerOff' | 'reset' | 'changeType' | 'snapshot', string>>
  /** Whether the vendor may be asked again for what is done, because it does nothing then. */
  readonly ignoresRepeats: boolean
  /** Whether it says afterwards that it could not do what it had accepted for a machine that runs. */
  readonly tellsFailures: boolean
  /** The IPv6 address of a machine. */
  readonly ipv6: unknown
  /** What is said about a machine that could not be started. */
  readonly startFailure: { readonly kind: ProviderErrorKind; readonly words: string }
  /** Longer than anything takes that a machine is asked for. */
  readonly actionMs: number
}

/** A kind of provider, and facts about its simulator. */
export interface ProviderCase {
  readonly name: 'Hetzner' | 'DigitalOcean' | 'AWS'
  start(options?: { pageLimit?: number }): Promise<ProviderUnderTest>
  readonly checkMessage: string
  /** Some of its regions. */
  readonly regions: readonly object[]
  /** A region, and some of the types as seen from it. */
  readonly region: string
  readonly types: readonly object[]
  /** Wait in ms after a rate limit without `Retry-After`. */
  readonly rateLimitWait: number
  readonly machines: MachineFacts
}

const gib = 2 ** 30

const post = { powerOff: 'POST', reset: 'POST', changeType: 'POST', snapshot: 'POST' }

export const providerCases: readonly ProviderCase[] = [
  {
    name: 'Hetzner',
    async start(options) {
      const time = new VirtualTime()
      const vendor = simulatedHetzner({ tokens, now: time.now, ...options })
      const running = await start(vendor, openApiJudge('hetzner'), time, ({ hetzner }, token) => hetzner({ token }))
      return { ...running, contentsOf: vendor.contentsOf }
    },
    checkMessage: 'The token works: 0 servers in its project.',
    regions: [{ code: 'fsn1', country: 'DE', description: 'Falkenstein DC Park 1', available: true }],
    region: 'hel1',
    types: [
      {
        name: 'cax11',
        vcpu: 2,
        ramBytes: 4 * gib,
        diskBytes: 40 * 2 ** 30,
        architecture: 'arm',
        price: { hourly: '0.008', monthly: '5.49', currency: 'EUR' },
        available: true,
        reason: null,
      },
      { name: 'cx53', available: false, reason: 'Hetzner has none left at the moment.' },
      { name: 'cx22', available: false, reason: 'Hetzner is withdrawing it.' },
      { name: 'cpx11', available: false, reason: 'Hetzner doesn’t offer it in hel1.', price: null },
    ],
    // 3,600 requests an hour come back one by one.
    rateLimitWait: 1000,
    machines: {
      type: 'cx23',
      largerType: 'cx33',
      region: 'fsn1',
      createRequest: 'POST /servers',
      listRequest: 'GET /servers',
      deleteRequest: 'DELETE',
      requests: post,
      ignoresRepeats: false,
      tellsFailures: true,
      ipv6: expect.stringMatching(/^[0-9a-f:]+::1$/),
      startFailure: { kind: 'unavailable', words: 'Action failed' },
      actionMs: 15_000,
    },
  },
  {
    name: 'DigitalOcean',
    async start(options) {
      const time = new VirtualTime()
      const vendor = simulatedDigitalOcean({ tokens, now: time.now, ...options })
      const judge = openApiJudge('digitalocean')
      const running = await start(vendor, judge, time, ({ digitalocean }, token) => digitalocean({ token }))
      return { ...running, contentsOf: vendor.contentsOf }
    },
    checkMessage: 'The token works for Acme: up to 25 droplets.',
    regions: [
      { code: 'blr1', country: 'IN', description: 'Bangalore 1', available: true },
      { code: 'ams1', available: false },
    ],
    region: 'lon1',
    types: [
      {
        name: 's-1vcpu-1gb',
        vcpu: 1,
        ramBytes: gib,
        diskBytes: 25 * gib,
        architecture: 'x86',
        price: { hourly: '0.00893', monthly: '6', currency: 'USD' },
        available: true,
        reason: null,
      },
      { name: 's-1vcpu-3gb', available: false, reason: 'DigitalOcean has none left at the moment.' },
      { name: 'g-2vcpu-8gb', available: false, reason: 'DigitalOcean doesn’t offer it in lon1.' },
    ],
    rateLimitWait: 7000,
    machines: {
      type: 's-1vcpu-1gb',
      largerType: 's-2vcpu-2gb',
      region: 'fra1',
      createRequest: 'POST /v2/droplets',
      listRequest: 'GET /v2/droplets?',
      deleteRequest: 'DELETE',
      requests: post,
      ignoresRepeats: false,
      tellsFailures: true,
      ipv6: expect.stringMatching(/^[0-9a-f:]+$/),
      startFailure: { kind: 'unavailable', words: 'create errored' },
      actionMs: 15_000,
    },
  },
  {
    name: 'AWS',
    async start(options) {
      const time = new VirtualTime()
      const keys = (['full', 'read', 'none', 'other'] as const).map((name) => ({
        accessKey: secrets.accessKey,
        secretKey: secrets[name],
        access: name === 'other' ? 'full' : name,
      }))
      const vendor = simulatedEc2({ keys, now: time.now, optedIn: ['ap-east-1'], ...options })
      const open = ({ aws }: Providers, secretKey: string) => aws({ accessKey: secrets.accessKey, secretKey })
      return { ...(await start(vendor, ec2Judge(), time, open)), contentsOf: vendor.contentsOf }
    },
    checkMessage: 'The key works: 3 regions can be used.',
    regions: [
      { code: 'ap-east-1', country: 'HK', description: 'Asia Pacific (Hong Kong)', available: true },
      { code: 'af-south-1', country: 'ZA', available: false },
    ],
    region: 'ap-east-1',
    types: [
      {
        name: 't4g.small',
        vcpu: 2,
        ramBytes: 2 * gib,
        diskBytes: null,
        architecture: 'arm',
        price: null,
        available: true,
        reason: null,
      },
    ],
    // Half of the longest first wait.
    rateLimitWait: 500,
    machines: {
      type: 't3.small',
      largerType: 't3.medium',
      region: 'eu-central-1',
      createRequest: 'POST / Action=RunInstances&',
      listRequest: 'POST / Action=DescribeInstances&',
      deleteRequest: 'POST / Action=TerminateInstances&',
      requests: {
        powerOff: 'POST / Action=StopInstances&',
        reset: 'POST / Action=RebootInstances&',
        changeType: 'POST / Action=ModifyInstanceAttribute&',
        snapshot: 'POST / Action=CreateSnapshot&',
      },
      ignoresRepeats: true,
      tellsFailures: false,
      // Default networks have none.
      ipv6: null,
      startFailure: { kind: 'quota', words: 'Client.VolumeLimitExceeded: Volume limit exceeded' },
      actionMs: 40_000,
    },
  },
]
