import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contents } from './providers/simulator/account.ts'
import { withFaults, type SimulatedVendor } from './providers/simulator/faults.ts'
import { startSimulatedCloud } from './providers/simulator/simulated-cloud.ts'
import { simulatedDigitalOcean } from './providers/simulator/simulated-digitalocean.ts'
import { simulatedEc2 } from './providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from './providers/simulator/simulated-hetzner.ts'
import { serveVendor, type Behavior } from './providers/simulator/simulated-vendor.ts'

/** What `simulators.json` in the demo's data folder says about each simulated vendor. */
export interface DemoVendors {
  readonly hetzner: { readonly url: string; readonly token: string }
  readonly digitalocean: { readonly url: string; readonly token: string }
  readonly aws: { readonly url: string; readonly access_key: string; readonly secret_key: string }
}

/** Machines that all simulated vendors together have at once. */
const machines = 24

/** File of `DemoVendors` in the data folder. */
export const simulatorsFile = 'simulators.json'

/** A vendor that also tells what it has, at `/_simulator/state`. */
function withState(vendor: SimulatedVendor & { contentsOf(key: string): Contents }, key: string): Behavior {
  const answering = withFaults(vendor, [])
  return (request) =>
    request.path === '/_simulator/state' ? { status: 200, body: vendor.contentsOf(key) } : answering(request)
}

/** Starts the simulated vendors, which run as long as this process, and sets what leads the product to them. */
export async function startDemoVendors(dataDir: string): Promise<void> {
  const cloud = await startSimulatedCloud(join(dataDir, 'simulated'), machines)
  const now = () => Date.now()
  const token = 'simulated-token'
  const keys = { accessKey: 'AKIASIMULATED0000000', secretKey: 'simulated-secret-key' }
  const tokens = { [token]: 'full' } as const
  const [first, second, third] = await Promise.all([
    serveVendor(withState(simulatedHetzner({ tokens, now, cloud }), token)),
    serveVendor(withState(simulatedDigitalOcean({ tokens, now, cloud }), token)),
    serveVendor(withState(simulatedEc2({ keys: [{ ...keys, access: 'full' }], now, cloud }), keys.secretKey)),
  ])
  const vendors: DemoVendors = {
    hetzner: { url: first.url, token },
    digitalocean: { url: second.url, token },
    aws: { url: third.url, access_key: keys.accessKey, secret_key: keys.secretKey },
  }
  Object.assign(process.env, {
    HCLOUD_ENDPOINT: first.url,
    DIGITALOCEAN_API_URL: second.url,
    AWS_ENDPOINT_URL_EC2: third.url,
    EASYDASH_ADDRESS_MAP: JSON.stringify(cloud.addressMap),
    EASYDASH_SERVER_SITES_URL: cloud.sitesUrl,
  })
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, simulatorsFile), JSON.stringify(vendors, null, 2))
  for (const [name, { url }] of Object.entries({ Hetzner: first, DigitalOcean: second, AWS: third }))
    process.stderr.write(`Simulated ${name} ${url}\n`)
}
