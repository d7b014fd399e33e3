import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from '#shared/doctypes/connection.ts'
import type { Contents } from './providers/simulator/account.ts'
import { withFaults, type SimulatedVendor } from './providers/simulator/faults.ts'
import { simulatedBucket, type BucketState } from './providers/simulator/simulated-bucket.ts'
import { startSimulatedCloud } from './providers/simulator/simulated-cloud.ts'
import { simulatedDigitalOcean } from './providers/simulator/simulated-digitalocean.ts'
import { simulatedEc2 } from './providers/simulator/simulated-ec2.ts'
import { demoSiteFiles, simulatedGitHub } from './providers/simulator/simulated-github.ts'
import { simulatedHetzner } from './providers/simulator/simulated-hetzner.ts'
import { simulatedWpCloud } from './providers/simulator/simulated-wpcloud.ts'
import { simulatedStripe } from './providers/simulator/stripe/simulated-stripe.ts'
import { serveVendor, type Behavior } from './providers/simulator/simulated-vendor.ts'

/** What `simulators.json` in the demo's data folder says about each simulated vendor. */
export interface DemoVendors {
  readonly hetzner: { readonly url: string; readonly token: string }
  readonly digitalocean: { readonly url: string; readonly token: string }
  readonly aws: { readonly url: string; readonly access_key: string; readonly secret_key: string }
  readonly bucket: {
    readonly url: string
    readonly name: string
    readonly region: string
    readonly access_key: string
    readonly secret_key: string
  }
  readonly stripe: {
    readonly url: string
    readonly secret_key: string
    readonly publishable_key: string
    readonly webhook_secret: string
  }
  readonly wpcloud: { readonly url: string; readonly api_key: string; readonly client_id: string }
  readonly github: {
    readonly url: string
    readonly token: string
    readonly webhook_secret: string
    readonly repository: string
  }
}

/** The connections to them that an organization has. */
export const demoAccounts = ({
  hetzner,
  digitalocean,
  aws,
  bucket,
  wpcloud,
  github,
}: DemoVendors): readonly Partial<Connection>[] => [
  { kind: 'Hetzner', label: 'Simulated Hetzner', hcloud_token: hetzner.token },
  { kind: 'DigitalOcean', label: 'Simulated DigitalOcean', do_token: digitalocean.token },
  {
    kind: 'AWS',
    label: 'Simulated AWS',
    aws_access_key: aws.access_key,
    aws_secret_key: aws.secret_key,
  },
  {
    kind: 'Bucket',
    label: 'Simulated bucket',
    bucket_name: bucket.name,
    bucket_region: bucket.region,
    bucket_access_key: bucket.access_key,
    bucket_secret_key: bucket.secret_key,
  },
  {
    kind: 'WP Cloud',
    label: 'Simulated WP Cloud',
    wpc_api_key: wpcloud.api_key,
    wpc_client_id: wpcloud.client_id,
  },
  {
    kind: 'GitHub',
    label: 'Simulated GitHub',
    bot_github_token: github.token,
    bot_github_org_name: 'acme',
    github_webhook_secret: github.webhook_secret,
  },
]

/** Machines that all simulated vendors together have at once. */
const machines = 24

/** File of `DemoVendors` in the data folder. */
export const simulatorsFile = 'simulators.json'

/** A vendor that also tells what it has, at `/_simulator/state`. */
function withState(vendor: SimulatedVendor, contents: () => object): Behavior {
  const answering = withFaults(vendor, [])
  return (request) => (request.path === '/_simulator/state' ? { status: 200, body: contents() } : answering(request))
}

/** One whose accounts are told apart by their keys. */
const withContents = (vendor: SimulatedVendor & { contentsOf(key: string): Contents }, key: string): Behavior =>
  withState(vendor, () => vendor.contentsOf(key))

/**
 * Starts the simulated vendors, which run as long as this process, and sets what leads the product to them. `port`: where the
 * product listens. Terminals of simulated machines are shells of this machine, so only a product that nobody else reaches has them.
 */
export async function startDemoVendors(
  dataDir: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const shells = ['127.0.0.1', '::1', 'localhost'].includes(host)
  const cloud = await startSimulatedCloud(join(dataDir, 'simulated'), machines, { shells })
  const now = () => Date.now()
  const token = 'simulated-token'
  const keys = { accessKey: 'AKIASIMULATED0000000', secretKey: 'simulated-secret-key' }
  const tokens = { [token]: 'full' } as const
  const place = { name: 'acme-backups', region: 'eu-central-1' }
  const bucket = simulatedBucket({ ...place, keys: [keys], now })
  const stripeKeys = {
    secretKey: 'sk_test_simulated',
    publishableKey: 'pk_test_simulated',
    webhookSecret: 'whsec_simulated',
  }
  const stripe = simulatedStripe({ ...stripeKeys, now })
  stripe.webhooks.url = `http://127.0.0.1:${port}/webhooks/stripe`
  const wpCloud = { api_key: 'simulated-wp-cloud-key', client_id: 'acme' }
  const account = { client: wpCloud.client_id, access: 'full' } as const
  const managed = simulatedWpCloud({ keys: { [wpCloud.api_key]: account }, now })
  const git = { token: 'simulated-github-token', webhook_secret: 'simulated-webhook-secret', repository: 'acme/site' }
  const webhookSecret = git.webhook_secret
  const repositories = simulatedGitHub({ tokens: { [git.token]: 'full' }, webhookSecret, nextFiles: demoSiteFiles })
  const firstPush = { branch: 'main', author: 'Milo Fischer', message: 'Release 1' }
  await repositories.push({ ...firstPush, repository: git.repository, files: demoSiteFiles(1) })
  repositories.webhook = `http://127.0.0.1:${port}/webhooks/github`
  const [first, second, third, fourth, fifth, sixth, seventh] = await Promise.all([
    serveVendor(withContents(simulatedHetzner({ tokens, now, cloud }), token)),
    serveVendor(withContents(simulatedDigitalOcean({ tokens, now, cloud }), token)),
    serveVendor(withContents(simulatedEc2({ keys: [{ ...keys, access: 'full' }], now, cloud }), keys.secretKey)),
    serveVendor(withState(bucket, () => bucketContents(bucket.state))),
    serveVendor(withFaults(stripe, [])),
    serveVendor(withState(managed, managed.contents)),
    serveVendor(withState(repositories, repositories.contents)),
  ])
  const vendors: DemoVendors = {
    hetzner: { url: first.url, token },
    digitalocean: { url: second.url, token },
    aws: { url: third.url, access_key: keys.accessKey, secret_key: keys.secretKey },
    bucket: { url: fourth.url, ...place, access_key: keys.accessKey, secret_key: keys.secretKey },
    stripe: {
      url: fifth.url,
      secret_key: stripeKeys.secretKey,
      publishable_key: stripeKeys.publishableKey,
      webhook_secret: stripeKeys.webhookSecret,
    },
    wpcloud: { url: sixth.url, ...wpCloud },
    github: { url: seventh.url, ...git },
  }
  Object.assign(process.env, {
    HCLOUD_ENDPOINT: first.url,
    DIGITALOCEAN_API_URL: second.url,
    AWS_ENDPOINT_URL_EC2: third.url,
    AWS_ENDPOINT_URL_S3: fourth.url,
    WPCLOUD_API_URL: sixth.url,
    GITHUB_API_URL: seventh.url,
    STRIPE_API_BASE: fifth.url,
    STRIPE_SECRET_KEY: stripeKeys.secretKey,
    STRIPE_PUBLISHABLE_KEY: stripeKeys.publishableKey,
    STRIPE_WEBHOOK_SECRET: stripeKeys.webhookSecret,
    EASYDASH_ADDRESS_MAP: JSON.stringify(cloud.addressMap),
    EASYDASH_SERVER_SITES_URL: cloud.sitesUrl,
  })
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, simulatorsFile), JSON.stringify(vendors, null, 2))
  for (const [name, { url }] of Object.entries({
    Hetzner: first,
    DigitalOcean: second,
    AWS: third,
    bucket: fourth,
    Stripe: fifth,
    'WP Cloud': sixth,
    GitHub: seventh,
  }))
    process.stderr.write(`Simulated ${name} ${url}\n`)
}

const bucketContents = ({ objects, uploads }: BucketState) => ({
  objects: [...objects].map(([key, { content }]) => ({ key, bytes: content.length })),
  uploads: [...uploads.values()].map(({ key }) => key),
})
