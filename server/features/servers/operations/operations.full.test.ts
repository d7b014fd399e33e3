import { afterAll, beforeAll, expect, test } from 'vitest'
import { testClock } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'

const clock = testClock()
let t: Awaited<ReturnType<typeof startServersFixture>>
let server: string

beforeAll(async () => {
  t = await startServersFixture({ clock, machines: 1 })
  const order = { cloud_provider: 'Hetzner', vm_country: 'DE', vm_region: 'fsn1', vm_type: 'cx23' }
  const doc = await t.documents.insert(t.owner, 'Server', { ...order, hostname: 'web-1.acme.example' })
  server = doc.name
  expect(await t.ended(doc['job'], clock)).toMatchObject({ status: 'Done' })
})
afterAll(() => t?.stop())

const act = async (action: string, args: Record<string, unknown> = {}) => {
  const started = await t.documents.runAction(t.owner, 'Server', server, action, args)
  return t.ended(Reflect.get(started ?? {}, 'job'), clock)
}

test('EasyEngine is upgraded', async () => {
  expect(await act('upgrade_easyengine')).toMatchObject({ status: 'Done' })
  expect(await t.read(server)).toMatchObject({ status: 'Healthy', easyengine: '4.12.0' })
})

test('a machine that does not answer is reset at its provider', async () => {
  t.cloud.power('198.18.0.1', false)
  expect(await act('reboot')).toMatchObject({ status: 'Done' })
  expect(await t.read(server)).toMatchObject({ status: 'Healthy' })
  expect(t.vendors.Hetzner.seen.filter(({ path }) => path.endsWith('/actions/reset'))).toHaveLength(1)
})

test('a machine gets another type and keeps its disk; if it can’t, it is turned on again', async () => {
  for (const vm_type of ['cx23', '../x'])
    await expect(act('resize', { vm_type })).rejects.toMatchObject({ code: 'invalid', field: 'vm_type' })
  for (const vm_type of ['nothing', 'cax21'])
    expect(await act('resize', { vm_type })).toMatchObject({ status: 'Failed', error_code: 'invalid' })
  expect(await t.read(server)).toMatchObject({ status: 'Healthy', vm_type: 'cx23' })

  t.faults.push({ kind: 'fail_later', on: `POST /servers/${(await t.read(server))?.provider_id}/actions/change_type` })
  const failed = await act('resize', { vm_type: 'cx33' })
  expect(failed).toMatchObject({ status: 'Failed' })
  expect(await t.read(server)).toMatchObject({ status: 'Disconnected', vm_type: 'cx23' })
  const before = (await t.read(server))?.price_monthly

  await t.documents.runAction(t.owner, 'Job', failed?.name ?? '', 'retry', {})
  expect(await t.ended(failed?.name, clock)).toMatchObject({ status: 'Done' })
  const after = await t.read(server)
  expect(after).toMatchObject({ status: 'Healthy', vm_type: 'cx33', locked_by_job: null })
  expect(Number(after?.price_monthly)).toBeGreaterThan(Number(before))
})

test('a snapshot stays at the provider', async () => {
  const job = await act('snapshot', { label: 'Before the relaunch' })
  expect(job).toMatchObject({ status: 'Done' })
  expect(job?.steps?.at(-1)?.kept).toMatchObject({ snapshot: expect.stringMatching(/^\d+$/) })
  expect(t.contentsOf('Hetzner').snapshots).toHaveLength(1)
})
