import { setTimeout } from 'node:timers/promises'
import type { Config } from '#server/platform/config/config.ts'
import type { AwsKeys } from '#server/platform/network/aws-signature.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import type { Resolver } from '#server/platform/network/safe-connect.ts'
import { aws } from './aws/aws.ts'
import { digitalocean } from './digitalocean/digitalocean.ts'
import { gitHub, type GitHub } from './github/github.ts'
import { hetzner } from './hetzner/hetzner.ts'
import type { Provider } from './provider.ts'
import type { VendorTransport } from './vendor-api.ts'
import type { WpCloudAccount } from './wpcloud/wpcloud-api.ts'
import { wpCloud, type WpCloud } from './wpcloud/wpcloud.ts'

/** Opens a provider for an account. The object holds the credentials: use it and let it go. */
export interface Providers {
  hetzner(account: { readonly token: string }): Provider
  digitalocean(account: { readonly token: string }): Provider
  aws(account: AwsKeys): Provider
  wpcloud(account: WpCloudAccount): WpCloud
  github(account: { readonly token: string }): GitHub
}

/** Settings used by providers. */
export type ProvidersConfig = Pick<Config, 'endpoints' | 'allowPrivateCidrs' | 'addressMap'>

export interface ProvidersOptions {
  /** Timeout of one request; by default that of the guarded fetch. */
  readonly timeoutMs?: number | undefined
  /** DNS resolver; the system's by default. */
  readonly resolve?: Resolver | undefined
  /** Time and chance; replaced in tests. */
  readonly clock?: Pick<VendorTransport, 'now' | 'sleep' | 'random'>
}

const systemClock: Pick<VendorTransport, 'now' | 'sleep' | 'random'> = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, signal && { signal }).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw error
    })
  },
  random: () => Math.random(),
}

/** Creates the providers. All of their requests are guarded, with the operator's endpoints. */
export function createProviders(config: ProvidersConfig, options: ProvidersOptions = {}): Providers {
  const { timeoutMs, resolve, clock = systemClock } = options
  const transport: VendorTransport = {
    ...clock,
    ask: (url, request) =>
      safeFetch(url, {
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...request,
        profile: 'operator',
        allowPrivateCidrs: config.allowPrivateCidrs,
        addressMap: config.addressMap,
        ...(resolve && { resolve }),
      }),
  }
  const { endpoints } = config
  return {
    hetzner: (account) => hetzner(account, endpoints.hetzner, transport),
    digitalocean: (account) => digitalocean(account, endpoints.digitalocean, transport),
    aws: (account) => aws(account, endpoints.awsEc2, transport),
    wpcloud: (account) => wpCloud(account, endpoints.wpcloud, transport),
    github: (account) => gitHub(account, endpoints.github, transport),
  }
}
