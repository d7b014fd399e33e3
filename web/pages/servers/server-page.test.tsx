import { screen, waitFor, within } from '@testing-library/react'
import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServerPage } from './server-page.tsx'

const api = apiServer()

function Where() {
  const { pathname, search } = useLocation()
  return <p data-testid="where">{`${pathname}${search}`}</p>
}

/** Renders the page of a server; resolves when it is there. */
async function setup(
  server: object,
  { jobs = [], sites = 0, hash = '' }: { jobs?: object[]; sites?: number; hash?: string } = {},
) {
  const doc = { name: 'v1', hostname: 'web-1', engine: 'ee', owner: owner.user, creation: sampleTime, ...server }
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('resource/Server/v1', () => ({ data: doc }))
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Job' ? jobs : [] }))
  api.on('frappe.client.get_count', ({ body }) => ({ message: body['doctype'] === 'Site' ? sites : 0 }))
  api.on('run_doc_method', () => ({ message: { job: 'j1' } }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  const rendered = renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <TooltipProvider>
      <PathParams value={{ server: 'v1' }}>
        <Suspense>
          <ServerPage />
          <Where />
        </Suspense>
      </PathParams>
    </TooltipProvider>,
    `/server/v1${hash}`,
  )
  await screen.findByRole('heading', { level: 1, name: 'web-1' })
  return rendered.user
}

const reason = { failure_reason: 'Nobody answers at 192.0.2.1. Check its network.', failure_since: hoursAgo(6) }

test.each(['Disconnected', 'Degraded', 'Failed'])(
  'the page of a server that is %s says why, since when, and when it last answered',
  async (status) => {
    await setup({ status, ...reason, checked_at: hoursAgo(7) })
    const panel = screen.getByText(reason.failure_reason).closest('[role]')
    expect(panel?.textContent).toContain(status)
    expect(panel?.textContent).toMatch(/Since 6 hours ago.*Last contact 7 hours ago/)
  },
)

test.each(['Disconnected', 'Degraded'])('a server that is %s can be measured again', async (status) => {
  await setup({ status, ...reason })
  expect(await screen.findByRole('button', { name: 'Refresh metrics' })).toBeTruthy()
})

test('a server without a recorded reason, and without any contact, says that', async () => {
  await setup({ status: 'Failed', failure_reason: null, failure_since: hoursAgo(6), checked_at: null })
  const panel = screen.getByText(/reason was not recorded/).closest('[role]')
  expect(within(panel as HTMLElement).getByText('No contact so far')).toBeTruthy()
})

test('a link to the SSH tab of this machine, which has none, says so', async () => {
  await setup({ status: 'Healthy', engine: 'local' }, { hash: '#ssh' })
  expect(screen.getByText('“SSH” is not available here')).toBeTruthy()
})

test('a healthy server has no such panel', async () => {
  await setup({ status: 'Healthy', ...reason })
  expect(screen.queryByText(reason.failure_reason)).toBeNull()
})

test.each([
  ['ee', ['Overview', 'Graphs', 'Configurations', 'SSH', 'Monitoring', 'Activity']],
  ['local', ['Overview', 'Graphs', 'Configurations', 'Monitoring', 'Activity']],
])('the tabs of a server with the engine %s', async (engine, tabs) => {
  await setup({ status: 'Healthy', engine })
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(tabs)
  expect(screen.queryByRole('button', { name: /^Decommission/ })).toBeNull()
})

test.each([
  [{ status: 'Healthy' }, '/site/create?server=v1'],
  [{ status: 'Degraded' }, undefined],
  [{ status: 'Healthy', locked_by_job: 'j1' }, undefined],
])('the page of a server that takes sites leads to the form with the server chosen: %o', async (server, href) => {
  await setup(server)
  expect(screen.queryByRole('link', { name: 'Create site' })?.getAttribute('href')).toBe(href)
})

test('a server that a job holds says which, and leads to it', async () => {
  await setup(
    { status: 'Healthy', locked_by_job: 'j1' },
    { jobs: [{ name: 'j1', label: 'Reboot web-1', reference_title: 'web-1' }] },
  )
  const link = await screen.findByRole('link', { name: 'Busy: Reboot web-1' })
  expect(link.getAttribute('href')).toContain('job=j1')
})

test.each([
  ['4.10.2', true],
  ['4.12.0', false],
  [null, false],
])('EasyEngine %s is outdated: %s', async (easyengine, isOutdated) => {
  await setup({ status: 'Healthy', easyengine })
  await screen.findByText('No sites yet', { selector: 'p' })
  expect(screen.queryByText('EasyEngine version outdated') !== null).toBe(isOutdated)
})

const rented = {
  ...{ status: 'Failed', ...reason, cloud_provider: 'Hetzner', connection: 'c1', vm_country: 'DE', vm_region: 'fsn1' },
  ...{ vm_type: 'cx23', price_monthly: '4.49', price_hourly: '0.0064', price_currency: 'EUR' },
}
const failedJob = (job_type: string) => ({ name: 'j1', status: 'Failed', label: 'Create web-1', job_type })

test('a failed creation can be retried, and goes on in another region, for the price that is shown', async () => {
  const user = await setup(rented, { jobs: [failedJob('server.create')] })
  const last = () => api.calls.findLast(({ name }) => name === 'run_doc_method')?.body
  await user.click(await screen.findByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(screen.getByTestId('where').textContent).toContain('job=j1'))
  expect(last()).toMatchObject({ dt: 'Job', method: 'retry' })
  const region = (regionCode: string) => ({ regionCode, regionDescription: `Data center ${regionCode}` })
  const country = { code: 'DE', name: 'Germany', regions: [region('fsn1'), region('nbg1')] }
  const controller = 'easydash.easydash.doctype.server.server'
  api.on(`${controller}.get_cloud_provider_metadata`, () => ({
    message: { Hetzner: { countries: [country], regions: {}, images: [] } },
  }))
  const machine = {
    ...{ name: 'cx23', label: 'CX23', architecture: 'x86', cpu: 2, ram: 4e9, disk: 4e10 },
    reason: null,
  }
  api.on(`${controller}.get_machine_types`, () => ({
    message: [{ ...machine, price_monthly: 4.49, price_hourly: 0.0064, currency: 'EUR', available: true }],
  }))
  await user.click(screen.getByRole('button', { name: 'Choose another region or size' }))
  const dialog = await screen.findByRole('dialog', { name: 'Choose another region or size · web-1' })
  expect((await within(dialog).findByRole('radio', { name: /CX23/ })).closest('label')?.textContent).toContain(
    'Could not be ordered before',
  )
  await user.click(within(dialog).getByRole('radio', { name: /Data center nbg1/ }))
  await user.click(await within(dialog).findByRole('radio', { name: /CX23/ }))
  expect(
    within(dialog)
      .getByText(/^€4.49 per month/)
      .closest('[role]')?.textContent,
  ).toContain('€0.0064 per hour')
  expect(within(dialog).queryByText('Could not be ordered before')).toBeNull()
  await user.click(within(dialog).getByRole('button', { name: 'Choose another region or size' }))
  await waitFor(() =>
    expect(last()).toMatchObject({
      ...{ dt: 'Server', method: 'order_elsewhere' },
      args: { vm_country: 'DE', vm_region: 'nbg1', vm_type: 'cx23' },
    }),
  )
})

test('deleting a failed server says which machine goes and what it costs', async () => {
  const user = await setup(rented, { jobs: [failedJob('server.create')] })
  await user.click(await screen.findByRole('button', { name: 'Delete…' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Decommission web-1?' })
  expect(dialog.textContent).toContain('The machine CX23 at Hetzner, which costs €4.49 per month')
  await user.type(within(dialog).getByLabelText('Type web-1 to confirm'), 'web-1')
  await user.click(within(dialog).getByRole('button', { name: 'Decommission' }))
  await waitFor(() =>
    expect(api.calls.findLast(({ name }) => name === 'run_doc_method')?.body).toMatchObject({
      ...{ dt: 'Server', method: 'decommission', args: { confirm_name: 'web-1' } },
    }),
  )
})

test('a machine of one’s own is not given up while sites were made on it; those it had before stay there', async () => {
  await setup({ ...rented, cloud_provider: 'Custom' }, { jobs: [failedJob('server.decommission')], sites: 1 })
  expect(await screen.findByRole('link', { name: '1 site' })).toBeTruthy()
  const counts = api.calls.filter(({ name, body }) => name === 'frappe.client.get_count' && body['doctype'] === 'Site')
  expect(counts.map(({ body }) => body['filters'])).toContainEqual([
    ['server', '=', 'v1'],
    ['is_found', '=', 0],
  ])
  // Nobody can ask for a hidden one.
  expect(SiteDoctype.fields.is_found.hidden).toBeFalsy()
})

test('a machine that could not be deleted still costs money, and is not given up while it has sites', async () => {
  await setup(rented, { jobs: [failedJob('server.decommission')], sites: 2 })
  expect(await screen.findByText(/Hetzner has deleted the machine, it costs €0.0064 per hour/)).toBeTruthy()
  expect(screen.getByRole('link', { name: '2 sites' }).getAttribute('href')).toContain('/site?')
  expect(screen.queryByRole('button', { name: /^(Decommission|Delete|Choose another)/ })).toBeNull()
})
