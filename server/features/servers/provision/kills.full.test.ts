import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { withPassword } from '#tests/support/documents.ts'
import { testClock, until } from '#tests/support/jobs.ts'
import { workAndKill } from '#tests/support/server-worker.ts'
import { startServersFixture } from '#tests/support/servers.ts'

let t: Awaited<ReturnType<typeof startServersFixture>>
beforeAll(async () => {
  // This process only asks for jobs: others work, one after the other.
  t = await startServersFixture({ clock: testClock(), machines: 6, concurrency: 0 })
})
afterAll(() => t?.stop())

/** What to order where. */
const orders = {
  Hetzner: { vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx23' },
  DigitalOcean: { vm_country: 'DE', vm_region: 'fra1', vm_type: 's-1vcpu-2gb' },
  AWS: { vm_country: 'DE', vm_region: 'eu-central-1', vm_type: 't3.small' },
} as const
type Vendor = keyof typeof orders

const ordering = ['order', 'address', 'contact', 'host_key', 'pin']
const settingUp = [
  'check',
  'prepare',
  'firewall',
  'updates',
  'swap',
  'easyengine',
  'keys',
  'access',
  'metrics',
  'measure',
]
/** Steps of a creation. */
const steps = [...ordering, ...settingUp]

const create = (moment: string, step?: string) => crashPointName('server.create', moment, step)
const end = (moment: string, step?: string) => crashPointName('server.decommission', moment, step)
/** Between what a vendor did and its record. */
const [ordered, deleted] = ['server.create/ordered', 'server.machine/deleted']

/** A server that is created. */
interface Creation {
  readonly label: Vendor
  readonly hostname: string
  readonly name: string
  readonly job: string
}

async function insert(label: Vendor, hostname: string): Promise<Creation> {
  const values = { server_category: 'development', cloud_provider: label, ...orders[label], hostname }
  const doc = await t.documents.insert(t.owner, 'Server', values)
  return { label, hostname, name: doc.name, job: String(doc['job']) }
}

/** The machines that a server has at its vendor. */
function machinesOf({ label, hostname }: Creation): readonly string[] {
  const [start, ...names] = [hostname, ...t.contentsOf(label).servers].map((name) => name.replaceAll('.', '-'))
  return names.filter((name) => name.startsWith(String(start)))
}

/** Has workers work on a job, each of which is killed at the next of the points; the last one gets to its end. */
async function work(server: Creation, job: string, points: readonly string[]): Promise<Job | null> {
  const order = { connection: t.connection, place: t.place, job }
  for (const point of points) {
    await workAndKill(point, order)
    // Never a second one, not even for a moment.
    expect(machinesOf(server).length, `machines after ${point}`).toBeLessThanOrEqual(1)
  }
  let ended: Job | null = null
  await workAndKill('', order, async (kill) => {
    const isOver = (one: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(one?.status ?? '')
    ended = await until(t.documents, JobDoctype, job, isOver)
    kill()
  })
  return ended
}

/** Many processes start, one after the other. */
const timeout = 1_800_000

const lives: readonly [string, Vendor, readonly string[], readonly string[]][] = [
  [
    'before each effect',
    'Hetzner',
    [create('claimed'), ...steps.map((step) => create('after-intent', step)), create('before-done')],
    [end('claimed'), end('after-intent', 'delete'), end('before-done')],
  ],
  [
    'after each effect',
    'Hetzner',
    [ordered, ...steps.map((step) => create('after-run', step)), create('after-done')],
    [deleted, end('after-run', 'delete'), end('after-done')],
  ],
  ['after an order', 'DigitalOcean', [ordered, create('after-run', 'order')], [deleted]],
  ['after an order', 'AWS', [ordered, create('after-run', 'order')], [deleted]],
]

test.each(lives)(
  'kills %s at %s leave one healthy server, and then none',
  async (when, label, creation, ending) => {
    const server = await insert(label, `${when.replaceAll(' ', '-')}.${label.toLowerCase()}.example`)
    const { name, hostname } = server
    const ended = await work(server, server.job, creation)
    expect(ended).toMatchObject({ status: 'Done', error_message: null })
    expect(ended?.steps?.map(({ key }) => key)).toEqual(steps)
    const healthy = { status: 'Healthy', locked_by_job: null, easyengine: '4.10.2', metrics_agent: 1 }
    expect(await t.read(name)).toMatchObject(healthy)
    expect(machinesOf(server)).toHaveLength(1)

    const answer = await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', { hostname })
    const end = await work(server, String(Reflect.get(answer ?? {}, 'job')), ending)
    expect(end).toMatchObject({ status: 'Done', error_message: null })
    expect(await t.read(name)).toMatchObject({ status: 'Decommissioned', locked_by_job: null })
    expect(machinesOf(server)).toEqual([])
  },
  timeout,
)

test(
  'kills of an order elsewhere leave one server, after an order whose answer was lost and that no list showed',
  async () => {
    // Nothing at this vendor prevents a second one.
    const server = await insert('DigitalOcean', 'elsewhere.digitalocean.example')
    const lists = 'GET /v2/droplets?'
    t.faults.push(
      { kind: 'lose_answer', on: 'POST /v2/droplets' },
      { kind: 'server_error', on: lists, after: 1, times: 1000 },
    )
    expect(await work(server, server.job, [])).toMatchObject({ status: 'Failed' })
    t.faults.length = 0
    expect(machinesOf(server)).toHaveLength(1)
    expect(await t.read(server.name)).toMatchObject({ provider_id: null })

    const place = { vm_country: 'NL', vm_region: 'ams3', vm_type: 's-2vcpu-4gb' }
    await t.documents.runAction(t.owner, 'Server', server.name, 'order_elsewhere', place)
    const points = [create('claimed'), create('after-intent', 'order'), deleted, ordered, create('after-run', 'order')]
    expect(await work(server, server.job, points)).toMatchObject({ status: 'Done', error_message: null })
    expect(await t.read(server.name)).toMatchObject({ status: 'Healthy', locked_by_job: null, ...place })
    expect(machinesOf(server)).toHaveLength(1)
  },
  timeout,
)

test.each([
  ['while it is ordered', ordered],
  ['before it is set up', create('after-intent', 'prepare')],
])(
  'a creation that was killed %s and then canceled gives its machine back, whatever is killed meanwhile',
  async (when, point) => {
    const server = await insert('Hetzner', `canceled-${when.replaceAll(' ', '-')}.example`)
    await workAndKill(point, { connection: t.connection, place: t.place, job: server.job })
    expect(machinesOf(server)).toHaveLength(1)
    await t.documents.runAction(t.owner, 'Job', server.job, 'cancel', {})
    const points = [create(cancelCrashPoints[0]), deleted, create(cancelCrashPoints[1])]
    expect(await work(server, server.job, points)).toMatchObject({ status: 'Cancelled' })
    expect(await t.read(server.name)).toBeNull()
    expect(machinesOf(server)).toEqual([])
  },
  timeout,
)
