import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import {
  api,
  controller,
  key,
  fingerprint,
  custom,
  check,
  calls,
  inserted,
  serve,
  address,
  setup,
  radio,
  submit,
  session,
  atHetzner,
} from '#tests/web/server-create.tsx'

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

test('the first step focuses its first error, and names each', async () => {
  const { user } = setup()
  await user.click(await radio(/^Hetzner/))
  await user.click(submit(/^Continue/))
  await screen.findByText('Name is required.')
  expect(screen.getByText('Choose a country.')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' }))
  expect(address()).toBe('/server/create')
})

test('a machine that the server rejects is shown at the machines', async () => {
  api.on('resource/Server', () => ({ status: 417, body: { field: 'vm_type', message: 'Sold out meanwhile.' } }))
  const { user } = await atHetzner()
  await user.click(await radio('CX22'))
  await user.click(submit(/^Create server/))
  const group = await screen.findByRole('group', { name: 'Machine', description: 'Sold out meanwhile.' })
  expect(within(group).getByText('Sold out meanwhile.')).toBeTruthy()
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

test('without machines, or room in the plan, the button is off and says why', async () => {
  api.on(`${controller}.get_machine_types`, () => ({ status: 502, body: {} }))
  await atHetzner()
  expect((await screen.findAllByText('The machines have to load first.')).length).toBeGreaterThan(0)
  expect(submit(/^Create server/).disabled).toBe(true)
  cleanup()
  const [limits, usage] = [
    { site: 10, server: 2 },
    { site: 1, server: 2 },
  ]
  const plan = { plan_name: 'Starter', plans_enabled: true, is_free_tier: false, is_canceled: false }
  setup('/server/create', { ...session, subscription: { ...plan, cancelation_date: null, limits, usage } })
  expect((await screen.findAllByText('Your plan has no room for another server.')).length).toBeGreaterThan(0)
  expect(submit(/^Continue/).disabled).toBe(true)
})
