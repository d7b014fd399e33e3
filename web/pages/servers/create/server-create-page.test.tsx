import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useLocation } from 'react-router'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServerCreatePage } from './server-create-page.tsx'

const api = apiServer()
const controller = 'easydash.easydash.doctype.server.server'
const gigabyte = 1024 ** 3
const session = { ...owner, modules: { ee: true, wpc: false } }
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGDXn7kWhhH3FdvxzF5mz+vM7kpOrF8YvJmJ0Rk1cL2p easydash'
const fingerprint = 'SHA256:9fQzb77L0kEZp2aw9Mc1A'
const custom = { hostname: 'web-1', server_category: 'development', cloud_provider: 'Custom' }

const machine = (name: string, ram: number, price: number, reason: string | null = null) => ({
  name,
  label: name.toUpperCase(),
  architecture: 'x86',
  cpu: ram / 2,
  ram: ram * gigabyte,
  disk: 10 * ram * gigabyte,
  price_monthly: price,
  price_hourly: price / 700,
  currency: 'EUR',
  available: reason === null,
  reason,
})
const accounts = [
  { name: 'c1', kind: 'Hetzner', label: 'Studio', is_default: 1, status: 'Connected' },
  { name: 'c2', kind: 'Hetzner', label: 'Client', is_default: 0, status: 'Connected' },
  {
    name: 'c3',
    kind: 'DigitalOcean',
    label: 'Old',
    is_default: 1,
    status: 'Failed',
    message: 'Unable to authenticate you',
  },
].map((row) => ({ checked_at: '2026-11-21 14:00:00.000000', message: null, ...row }))
const check = (key: string, state: string, detail: string | null = null) => ({ key, label: key, state, detail })

const calls = (name: string, verb = 'POST') => api.calls.filter((call) => call.name === name && call.verb === verb)
const inserted = () => calls('resource/Server').map(({ body }) => body)

/** Responses of a server whose vendors have what is needed here. `lists`: rows by doctype. */
function serve(lists: Record<string, unknown[]> = {}): void {
  const rows: Record<string, unknown[]> = { Connection: accounts, ...lists }
  const list = ({ body }: Call): Reply => ({ message: rows[String(body['doctype'])] ?? [] })
  api.on('frappe.client.get_list', list)
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', default_authorized_keys: key } }))
  api.on(`${controller}.get_cloud_provider_metadata`, () => ({
    message: {
      Hetzner: {
        countries: [
          { code: 'FI', name: 'Finland', regions: [{ regionCode: 'hel1', regionDescription: 'Helsinki' }] },
          {
            code: 'DE',
            name: 'Germany',
            regions: [
              { regionCode: 'fsn1', regionDescription: 'Falkenstein' },
              { regionCode: 'nbg1', regionDescription: 'Nuremberg' },
            ],
          },
        ],
        regions: { fsn1: { region_description: 'Falkenstein', country: 'DE' } },
        images: ['Ubuntu 24.04 LTS'],
      },
      DigitalOcean: { countries: [], regions: {}, images: [] },
      AWS: {
        countries: [
          { code: 'DE', name: 'Germany', regions: [{ regionCode: 'eu-central-1', regionDescription: 'Frankfurt' }] },
        ],
        regions: {},
        images: [],
      },
      Custom: { countries: [], regions: {}, images: [] },
    },
  }))
  api.on(`${controller}.get_machine_types`, () => ({
    message: [
      machine('cx42', 16, 16.4),
      machine('cx22', 4, 3.79),
      machine('cx12', 2, 3.2, 'Hetzner has none left.'),
      machine('cax31', 8, 20),
    ],
  }))
  api.on('easydash.api.connections.facts', () => ({
    message: { egress_ips: [], bot_name: 'bot', default_public_key: key },
  }))
  api.on('resource/Server', () => ({ data: { name: 's1', job: 'j1' } }))
}

function Where() {
  const { pathname, search, hash } = useLocation()
  return <output aria-label="Address">{pathname + search + hash}</output>
}
const address = () => screen.getByRole('status', { name: 'Address' }).textContent

function setup(at = '/server/create') {
  const rendered = renderAs(
    session,
    <TooltipProvider>
      <ServerCreatePage />
      <Where />
    </TooltipProvider>,
    at,
  )
  return rendered
}
const radio = (name: RegExp | string) => screen.findByRole<HTMLInputElement>('radio', { name })
const submit = (name: RegExp) => screen.getAllByRole<HTMLButtonElement>('button', { name })[0] as HTMLButtonElement

beforeEach(() => {
  sessionStorage.clear()
  serve()
})

/** Fills in the first step for a machine at Hetzner in Falkenstein, and leads to the second one. */
async function atHetzner() {
  const rendered = setup()
  const { user } = rendered
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Web 1')
  await user.click(await radio(/^Hetzner/))
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Account' }), 'Client')
  await user.click(await radio('Germany'))
  await user.click(await radio(/^Falkenstein/))
  await user.click(submit(/^Continue/))
  await screen.findByRole('heading', { name: 'Configurations' })
  return rendered
}

test('a server at Hetzner: account, country, region and machine are sent, and the job is shown', async () => {
  const { user } = await atHetzner()
  expect(calls(`${controller}.get_machine_types`).at(-1)?.body).toEqual({
    cloud_provider: 'Hetzner',
    region: 'fsn1',
    connection: 'c2',
  })
  const small = await screen.findByRole('radio', {
    name: 'CX22',
    description: /Cheapest, 2 vCPUs, 4 GB RAM, 40 GB disk/,
  })
  expect(screen.getByRole('radio', { name: 'CX42', description: /fits about 60 sites, €0.0234 per hour/ })).toBeTruthy()
  await user.click(small)
  expect(screen.getByText('Billed by Hetzner on your own account, before tax.')).toBeTruthy()
  await user.click(submit(/^Create server · €3.79\/mo/))
  await waitFor(() => expect(address()).toBe('/server/s1?job=j1'))
  expect(inserted()).toEqual([
    {
      organization: 'acme',
      hostname: 'web-1',
      server_category: 'development',
      cloud_provider: 'Hetzner',
      connection: 'c2',
      vm_country: 'DE',
      vm_region: 'fsn1',
      vm_type: 'cx22',
    },
  ])
  expect({ ...sessionStorage }).toEqual({})
})

test('machines are sorted by price, memory and processors; a sold-out one is disabled with the reason', async () => {
  const { user } = await atHetzner()
  const soldOut = await radio('CX12')
  expect(soldOut.disabled).toBe(true)
  expect(soldOut.getAttribute('aria-describedby')).toBeTruthy()
  expect(screen.getByRole('radio', { name: 'CX12', description: /^Hetzner has none left\./ })).toBe(soldOut)
  const order = () => screen.getAllByRole<HTMLInputElement>('radio', { name: /^CA?X/ }).map(({ value }) => value)
  expect(order()).toEqual(['cx12', 'cx22', 'cx42', 'cax31'])
  await user.click(screen.getByRole('radio', { name: 'Memory' }))
  expect(order()).toEqual(['cx12', 'cx22', 'cax31', 'cx42'])
  await user.keyboard('{ArrowRight}')
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'vCPU' }).checked).toBe(true)
  expect(screen.getAllByText('Cheapest')).toHaveLength(1)
  await user.click(submit(/^Create server/))
  expect(await screen.findByText('Choose a machine.')).toBeTruthy()
  expect(inserted()).toEqual([])
})

test('the draft survives a reload in the step of the address', async () => {
  const { unmount, user } = await atHetzner()
  await user.click(await radio('CX42'))
  unmount()
  setup('/server/create#machine-options')
  expect((await radio('CX42')).checked).toBe(true)
  expect(screen.getByText('Draft kept')).toBeTruthy()
  await user.click(screen.getByRole('link', { name: 'Change' }))
  expect((await radio('Germany')).checked).toBe(true)
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('web-1')
})

test('without a complete first step, the second one leads back to it', async () => {
  setup('/server/create#machine-options')
  expect(await screen.findByRole('textbox', { name: 'Name' })).toBeTruthy()
  expect(address()).toBe('/server/create#general-info')
  expect(calls(`${controller}.check_server`)).toEqual([])
})

test('the first step focuses its first error, and names each', async () => {
  const { user } = setup()
  await user.click(await radio(/^Hetzner/))
  await user.click(submit(/^Continue/))
  await screen.findByText('Name is required.')
  expect(screen.getByText('Choose a country.')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }))
  expect(address()).toBe('/server/create')
})

test('a name that the server rejects is shown in the first step', async () => {
  api.on('resource/Server', () => ({
    status: 417,
    body: {
      exc_type: 'ValidationError',
      field: 'hostname',
      _server_messages: JSON.stringify([JSON.stringify({ message: 'The name is in use.' })]),
    },
  }))
  const { user } = await atHetzner()
  await user.click(await radio('CX22'))
  await user.click(submit(/^Create server/))
  const name = await screen.findByRole('textbox', { name: 'Name', description: 'The name is in use.' })
  await waitFor(() => expect(document.activeElement).toBe(name))
  expect(address()).toBe('/server/create#general-info')
})

test('a machine that the server rejects is shown at the machines', async () => {
  api.on('resource/Server', () => ({ status: 417, body: { field: 'vm_type', message: 'Sold out meanwhile.' } }))
  const { user } = await atHetzner()
  await user.click(await radio('CX22'))
  await user.click(submit(/^Create server/))
  const group = await screen.findByRole('group', { name: 'Machine', description: 'Sold out meanwhile.' })
  expect(within(group).getByText('Sold out meanwhile.')).toBeTruthy()
})

test('countries are found by their names; the only region of one is chosen with it', async () => {
  const { user } = setup()
  await user.click(await radio(/^Hetzner/))
  await user.type(await screen.findByRole('searchbox', { name: 'Search countries' }), 'fin{Enter}')
  expect((await radio('Finland')).checked).toBe(true)
  expect(screen.queryByRole('radio', { name: 'Germany' })).toBeNull()
  expect((await radio(/^Helsinki/)).checked).toBe(true)
})

test('a vendor’s refusal is shown as it was sent; the test is repeated in place', async () => {
  const { user } = setup()
  await user.click(await radio(/^DigitalOcean.*Test failed/))
  expect((await screen.findByText('Unable to authenticate you')).closest('[role=alert]')).toBeTruthy()
  const working = accounts.map((row) => (row.name === 'c3' ? { ...row, status: 'Connected', message: null } : row))
  api.on('run_doc_method', () => {
    serve({ Connection: working })
    return { message: {} }
  })
  api.on('resource/Connection/c3', () => ({ data: working[2] }))
  await user.click(screen.getByRole('button', { name: 'Test Old' }))
  expect(await radio(/^DigitalOcean.*Connected/)).toBeTruthy()
  expect(screen.queryByText('Unable to authenticate you')).toBeNull()
  expect(calls('run_doc_method')[0]?.body).toMatchObject({ dt: 'Connection', dn: 'c3', method: 'test' })
})

test('an account is added in place; rejected credentials are corrected in the same one and never kept', async () => {
  let stored = { name: 'a1', kind: 'AWS', label: 'AWS', is_default: 1, status: 'Failed', message: 'AuthFailure' }
  api.on('resource/Connection', () => {
    serve({ Connection: [stored] })
    return { data: stored }
  })
  api.on('resource/Connection/a1', () => ({ data: stored }))
  api.on('run_doc_method', () => {
    serve({ Connection: [stored] })
    return { message: {} }
  })
  const { user } = setup()
  await user.click(await radio(/^AWS.*Add key/))
  await user.type(await screen.findByLabelText('AWS access key'), 'AKIA1')
  await user.type(screen.getByLabelText('AWS secret key'), 'wrong-secret{Enter}')
  expect(await screen.findByText('AuthFailure')).toBeTruthy()
  expect(calls('resource/Connection')[0]?.body).toEqual({
    organization: 'acme',
    kind: 'AWS',
    label: 'AWS',
    aws_access_key: 'AKIA1',
    aws_secret_key: 'wrong-secret',
  })
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('wrong-secret')

  stored = { ...stored, status: 'Connected', message: '' }
  await user.clear(screen.getByLabelText('AWS secret key'))
  await user.type(screen.getByLabelText('AWS secret key'), 'right-secret')
  await user.click(screen.getByRole('button', { name: 'Test and connect' }))
  expect(await radio(/^AWS.*Connected/)).toBeTruthy()
  expect(calls('resource/Connection/a1', 'PUT')[0]?.body).toMatchObject({ aws_secret_key: 'right-secret' })
  expect(calls('resource/Connection')).toHaveLength(1)
  expect(screen.queryByLabelText('Secret key')).toBeNull()
})

test('the disk of a machine at AWS has 40 GB unless another size is entered', async () => {
  serve({ Connection: [{ ...accounts[0], name: 'a1', kind: 'AWS' }] })
  api.on(`${controller}.get_machine_types`, () => ({ message: [{ ...machine('t3.small', 32, 17), disk: null }] }))
  const { user } = setup()
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'web-1')
  await user.click(await radio(/^AWS/))
  await user.click(await radio('Germany'))
  await user.click(submit(/^Continue/))
  await user.click(await screen.findByRole('radio', { name: 'T3.SMALL', description: /fits about 20 sites/ }))
  const size = screen.getByRole<HTMLInputElement>('textbox', { name: /^Disk size/ })
  expect(size.value).toBe('40')
  await user.clear(size)
  await user.type(size, '60')
  expect(screen.getByRole('radio', { name: 'T3.SMALL', description: /fits about 30 sites/ })).toBeTruthy()
  await user.click(submit(/^Create server/))
  await waitFor(() => expect(inserted()[0]).toMatchObject({ vm_region: 'eu-central-1', vm_ebs_size: 60 }))
})

test('machines that did not load can be asked for again; a region without any says so', async () => {
  api.on(`${controller}.get_machine_types`, () => ({ status: 417, body: { message: 'Hetzner is down.' } }))
  const { user } = await atHetzner()
  expect(await screen.findByText('Hetzner is down.')).toBeTruthy()
  api.on(`${controller}.get_machine_types`, () => ({ message: [] }))
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(await screen.findByText(/^Hetzner offers no machines in Falkenstein/)).toBeTruthy()
})

test('a machine of one’s own: the command, live checks, and a fingerprint that has to be confirmed', async () => {
  let checks = [check('Reachable', 'failed', 'No answer'), check('sudo', 'waiting')]
  let host_key: string | null = null
  api.on(`${controller}.check_server`, () => ({ message: { host_key, checks } }))
  const { user } = setup()
  expect((await radio(/^Custom/)).checked).toBe(true)
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'web-1')
  await user.type(screen.getByRole('textbox', { name: 'IPv4 address' }), '203.0.113.7')
  await user.click(submit(/^Continue/))
  expect((await screen.findByText(/^mkdir -p/)).textContent).toContain(`printf '\\n%s\\n' '${key}'`)
  expect(await screen.findByText('No answer')).toBeTruthy()
  expect(submit(/^Create server/).disabled).toBe(true)
  expect(screen.getAllByText('All checks have to pass first.')).not.toHaveLength(0)
  expect(calls(`${controller}.check_server`)[0]?.body).toEqual({
    public_ipv4: '203.0.113.7',
    ssh_user: 'root',
    ssh_port: 22,
  })

  checks = [check('Reachable', 'ok'), check('EasyEngine', 'warn', 'EasyEngine 4 is there')]
  host_key = fingerprint
  await user.click(screen.getByRole('button', { name: 'Check again' }))
  const confirm = await screen.findByRole('checkbox', { name: 'The fingerprint is the same' })
  expect(submit(/^Create server/).disabled).toBe(true)
  // By keyboard it can be submitted all the same.
  await user.keyboard('{Control>}{Enter}{/Control}')
  await user.click(confirm)
  expect(submit(/^Create server/).disabled).toBe(false)
  expect(inserted()).toEqual([])
  await user.click(submit(/^Create server/))
  await waitFor(() =>
    expect(inserted()).toEqual([
      {
        ...custom,
        organization: 'acme',
        public_ipv4: '203.0.113.7',
        ssh_user: 'root',
        ssh_port: 22,
        host_key: fingerprint,
      },
    ]),
  )
})

test('another key than the confirmed one has to be confirmed again', async () => {
  sessionStorage.setItem(
    `draft:${session.user} server-create`,
    JSON.stringify({ ...custom, public_ipv4: '203.0.113.7', ssh_user: 'root', ssh_port: 22, host_key: 'SHA256:other' }),
  )
  api.on(`${controller}.check_server`, () => ({
    message: { host_key: fingerprint, checks: [check('Reachable', 'ok')] },
  }))
  const { user } = setup('/server/create#machine-options')
  const confirm = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'The fingerprint is the same' })
  expect(confirm.checked).toBe(false)
  confirm.focus()
  await user.keyboard('{Control>}{Enter}{/Control}')
  expect((await screen.findAllByText('Confirm the fingerprint first.')).length).toBeGreaterThan(1)
  expect(inserted()).toEqual([])
})

test('"usually" comes from the last job that made a server', async () => {
  serve({ Job: [{ name: 'j0', usual_seconds: 242 }] })
  setup()
  expect(await screen.findByText('Usually ready in 4 min 2 s.')).toBeTruthy()
})
