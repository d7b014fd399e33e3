import { afterAll, beforeAll, expect, test } from 'vitest'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { shortPauses, until, untilEnded } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'

let t: Awaited<ReturnType<typeof startServersFixture>>
beforeAll(async () => {
  t = await startServersFixture({ clock: shortPauses, machines: 3 })
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
} as const
const labels = ['Hetzner', 'DigitalOcean'] as const

const insert = (label: (typeof labels)[number], hostname: string) => {
  const values = { server_category: 'development', cloud_provider: label, ...cases[label].order, hostname }
  return t.documents.insert(t.owner, 'Server', values)
}

test.each(labels)(
  'a machine of %s is ordered, known by its own key, set up, measured and given back',
  async (label) => {
    const { currency } = cases[label]
    const hostname = `web-1.${label.toLowerCase()}.example`
    const { name, job } = await insert(label, hostname)
    expect(await untilEnded(t.documents, String(job))).toMatchObject({ status: 'Done' })
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
    })
    expect(t.contentsOf(label).servers).toHaveLength(1)

    await expect(t.documents.delete(t.owner, 'Server', name)).rejects.toMatchObject({ code: 'invalid' })
    await expect(
      t.documents.runAction(t.owner, 'Server', name, 'decommission', { hostname: 'another' }),
    ).rejects.toMatchObject({ field: 'confirm_name' })
    const end = await t.documents.runAction(t.owner, 'Server', name, 'decommission', { hostname })
    expect(await untilEnded(t.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
    expect(await t.read(name)).toMatchObject({ status: 'Decommissioned' })
    expect(t.contentsOf(label).servers).toEqual([])
  },
)

test.each(labels)('a cancel gives back the machine that was ordered, also if %s lost its answer', async (label) => {
  const { seen } = t.vendors[label]
  const { createPath } = cases[label]
  const deletions = seen.filter(({ method }) => method === 'DELETE').length
  t.faults.push({ kind: 'lose_answer', on: `POST ${createPath}` })
  const doc = await insert(label, `web-2.${label.toLowerCase()}.example`)
  const job = String(doc['job'])
  await until(t.documents, JobDoctype, job, (now) => now?.steps?.[0]?.status === 'Done')
  await t.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await untilEnded(t.documents, job)).toMatchObject({ status: 'Cancelled' })
  expect(await t.read(doc.name)).toBeNull()
  // One for each test: the answer that was lost is not asked for by a second order.
  expect(seen.filter(({ method, path }) => method === 'POST' && path === createPath)).toHaveLength(2)
  expect(seen.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(deletions)
})

test.each(labels)('a machine of %s that could not be started is given back', async (label) => {
  const { createPath } = cases[label]
  t.faults.push({ kind: 'fail_later', on: `POST ${createPath}` })
  const hostname = `web-3.${label.toLowerCase()}.example`
  const { name, job } = await insert(label, hostname)
  expect(await untilEnded(t.documents, String(job))).toMatchObject({ status: 'Failed' })
  expect(t.contentsOf(label).servers).toHaveLength(1)
  const end = await t.documents.runAction(t.owner, 'Server', name, 'decommission', { hostname })
  expect(await untilEnded(t.documents, String(Reflect.get(end ?? {}, 'job')))).toMatchObject({ status: 'Done' })
  expect(t.contentsOf(label).servers).toEqual([])
})
