import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { withPassword } from '#tests/support/documents.ts'
import { testClock, until } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'

const clock = testClock()
let t: Awaited<ReturnType<typeof startServersFixture>>
beforeAll(async () => {
  t = await startServersFixture({ clock, machines: 3 })
})
afterAll(() => t?.stop())

/** What to order where. */
const cases = {
  Hetzner: {
    order: { vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx23' },
    currency: 'EUR',
    createPath: '/servers',
  },
  DigitalOcean: {
    order: { vm_country: 'DE', vm_region: 'fra1', vm_type: 's-1vcpu-2gb' },
    currency: 'USD',
    createPath: '/v2/droplets',
  },
  AWS: {
    order: { vm_country: 'DE', vm_region: 'eu-central-1', vm_type: 't3.small', vm_ebs_size: 60 },
    currency: null,
    createPath: '/ Action=RunInstances&',
  },
} as const
/** All vendors have the same steps here, and one suite of their own: the others, and what fails, run with the full tests. */
const isFull = process.env['EASYDASH_TEST_FULL'] === '1'
const vendors = isFull ? (['Hetzner', 'DigitalOcean', 'AWS'] as const) : (['Hetzner'] as const)
const failing = isFull ? (['Hetzner', 'DigitalOcean'] as const) : []

const insert = (label: keyof typeof cases, hostname: string) => {
  const values = { server_category: 'development', cloud_provider: label, ...cases[label].order, hostname }
  return t.documents.insert(t.owner, 'Server', values)
}

test.each(vendors)(
  'a machine of %s is ordered, known by its own key, set up, measured and given back',
  async (label) => {
    const { currency } = cases[label]
    const hostname = `web-1.${label.toLowerCase()}.example`
    const { name, job } = await insert(label, hostname)
    expect(await t.ended(job, clock)).toMatchObject({ status: 'Done' })
    const server = await t.read(name)
    expect(server).toMatchObject({
      status: 'Healthy',
      public_ipv4: expect.stringMatching(/^198\.18\.0\./),
      os: 'Ubuntu 24.04.3 LTS',
      easyengine: '4.10.2',
      docker: '27.5.1',
      pending_updates: 0,
      ssh_host_key: expect.stringMatching(/^ssh-ed25519 AAAA/),
      host_key: expect.stringMatching(/^SHA256:/),
      price_currency: currency,
      default_site_username: 'easydash',
      // What its engine can do there depends on it.
      facts: { easyengine: '4.10.2', git: true },
    })
    if (label === 'AWS') expect(Math.round(Number(server?.disk) / 2 ** 30)).toBe(60)
    expect(t.contentsOf(label).servers).toHaveLength(1)

    const send = await samplesOf(name, String(server?.public_ipv4))
    expect(await send()).toMatchObject({ status: 200 })

    // What the provider changed is taken over by a look at the machine.
    const address = String(server?.public_ipv4)
    const drift = { public_ipv4: address, vm_type: 'another' }
    await system((tx) => tx.update(ServerDoctype, name, { public_ipv4: '198.18.0.9', drift }, { hooks: false }))
    await t.documents.runAction(t.owner, 'Server', name, 'refresh_facts', {})
    expect(await t.read(name)).toMatchObject({ public_ipv4: address, vm_type: 'another', drift: null })

    await expect(t.documents.delete(withPassword(t.owner), 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
    await expect(
      t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', { hostname: 'another' }),
    ).rejects.toMatchObject({ field: 'confirm_name' })
    await expect(t.documents.runAction(t.owner, 'Server', name, 'decommission', { hostname })).rejects.toMatchObject({
      code: 'forbidden',
      field: 'password',
    })
    const end = await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', { hostname })
    expect(await t.ended(Reflect.get(end ?? {}, 'job'), clock)).toMatchObject({ status: 'Done' })
    expect(await t.read(name)).toMatchObject({ status: 'Decommissioned' })
    await expect(send()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(t.contentsOf(label).servers).toEqual([])
  },
)

const system = <T>(work: (tx: Tx) => Promise<T>) => t.documents.transaction(systemSession(), work)

/** Its agent is there and can send; without one it is asked by SSH. Returns what sends no samples with its token. */
async function samplesOf(name: string, address: string) {
  const file = (path: string) => join(t.folder, address, path)
  const config = await readFile(file('etc/easydash-metrics.conf'), 'utf8')
  expect((await stat(file('etc/easydash-metrics.conf'))).mode & 0o777).toBe(0o600)
  expect(config).toContain('url = "https://dash.example/hooks/metrics"')
  expect(await readFile(file('var/lib/simulated/systemctl.log'), 'utf8')).toContain(
    'enable --now easydash-metrics.timer',
  )
  expect(await t.read(name)).toMatchObject({ metrics_agent: 1, metrics_at: null })
  await t.servers.schedules[1].run()
  expect(await t.read(name)).toMatchObject({ metrics_at: null })
  await system((tx) => tx.updateColumns(ServerDoctype, name, { metrics_agent: 0 }))
  await t.servers.schedules[1].run()
  expect(await t.read(name)).toMatchObject({ metrics_at: expect.any(String), cpu_percent: expect.any(Number) })
  const [, header = ''] = /^header = "Authorization: (.*)"$/m.exec(config) ?? []
  const request = {
    headers: { authorization: header },
    body: Buffer.from('[]'),
    params: {},
    query: '',
    ip: '192.0.2.1',
  }
  return async () => t.metrics.routes?.[0]?.run(request)
}

test.each(failing)('a cancel gives back the machine that was ordered, also if %s lost its answer', async (label) => {
  const { seen } = t.vendors[label]
  const { createPath } = cases[label]
  const deletions = seen.filter(({ method }) => method === 'DELETE').length
  t.faults.push({ kind: 'lose_answer', on: `POST ${createPath}` })
  const doc = await insert(label, `web-2.${label.toLowerCase()}.example`)
  const job = String(doc['job'])
  await until(t.documents, JobDoctype, job, (now) => now?.steps?.[0]?.status === 'Done')
  await t.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await t.ended(job, clock)).toMatchObject({ status: 'Cancelled' })
  expect(await t.read(doc.name)).toBeNull()
  // One for each test: the answer that was lost is not asked for by a second order.
  expect(seen.filter(({ method, path }) => method === 'POST' && path === createPath)).toHaveLength(2)
  expect(seen.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(deletions)
})

test.each(failing)('a machine of %s that could not be started is given back', async (label) => {
  const { createPath } = cases[label]
  t.faults.push({ kind: 'fail_later', on: `POST ${createPath}` })
  const hostname = `web-3.${label.toLowerCase()}.example`
  const { name, job } = await insert(label, hostname)
  expect(await t.ended(job, clock)).toMatchObject({ status: 'Failed' })
  expect(t.contentsOf(label).servers).toHaveLength(1)
  const end = await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', { hostname })
  expect(await t.ended(Reflect.get(end ?? {}, 'job'), clock)).toMatchObject({ status: 'Done' })
  expect(t.contentsOf(label).servers).toEqual([])
})

/** Another region and type of each vendor. */
const elsewhere = {
  Hetzner: { vm_country: 'DE', vm_region: 'nbg1', vm_type: 'cx33' },
  DigitalOcean: { vm_country: 'NL', vm_region: 'ams3', vm_type: 's-2vcpu-4gb' },
  AWS: { vm_country: 'US', vm_region: 'us-east-1', vm_type: 't3.medium' },
} as const
const inTurn = (label: keyof typeof cases, kind: 'out_of_stock' | 'quota' | 'fail_later') => ({ label, kind })
const refusals = isFull
  ? [
      inTurn('Hetzner', 'out_of_stock'),
      ...[inTurn('Hetzner', 'fail_later'), inTurn('DigitalOcean', 'fail_later'), inTurn('AWS', 'quota')],
    ]
  : []

test.each(refusals)('a creation that $label ended ($kind) goes on in another region', async ({ label, kind }) => {
  const { createPath } = cases[label]
  t.faults.push({ kind, on: `POST ${createPath}` })
  const hostname = `web-4.${kind.replaceAll('_', '-')}.${label.toLowerCase()}.example`
  const { name, job } = await insert(label, hostname)
  expect(await t.ended(job, clock)).toMatchObject({ status: 'Failed' })
  const order = (place: object) => t.documents.runAction(t.owner, 'Server', name, 'order_elsewhere', { ...place })
  await expect(order(cases[label].order)).rejects.toMatchObject({ code: 'invalid', field: 'vm_type' })
  await expect(order({ ...elsewhere[label], vm_region: '../x' })).rejects.toMatchObject({ field: 'vm_region' })
  expect(await order(elsewhere[label])).toMatchObject({ job })
  expect(await t.ended(job, clock)).toMatchObject({ status: 'Done', error_message: null })
  expect(await t.read(name)).toMatchObject({
    status: 'Healthy',
    ...elsewhere[label],
    ssh_host_key: expect.stringMatching(/^ssh/),
  })
  const { servers } = t.contentsOf(label)
  expect(servers).toHaveLength(1)
  await expect(order(cases[label].order)).rejects.toMatchObject({ code: 'invalid' })
  const end = await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', { hostname })
  expect(await t.ended(Reflect.get(end ?? {}, 'job'), clock)).toMatchObject({ status: 'Done' })
  expect(t.contentsOf(label).servers).toEqual([])
})
