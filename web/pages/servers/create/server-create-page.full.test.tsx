import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import {
  api,
  controller,
  session,
  fingerprint,
  custom,
  machine,
  accounts,
  check,
  calls,
  inserted,
  serve,
  address,
  setup,
  radio,
  submit,
  atHetzner,
} from '#tests/web/server-create.tsx'

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

test('the disk of a machine at AWS has 40 GB unless another size is entered', async () => {
  serve({ Connection: [{ ...accounts[0], name: 'a1', kind: 'AWS' }] })
  api.on(`${controller}.get_machine_types`, () => ({
    message: [{ ...machine('t3.small', 32, 17), label: 't3.small', disk: null }],
  }))
  const { user } = setup()
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'web-1')
  await user.click(await radio(/^AWS/))
  await user.click(await radio('Germany'))
  await user.click(submit(/^Continue/))
  await user.click(await screen.findByRole('radio', { name: 't3.small', description: /fits about 20 sites/ }))
  const size = screen.getByRole<HTMLInputElement>('textbox', { name: /^Disk size/ })
  expect(size.value).toBe('40')
  await user.clear(size)
  await user.type(size, '60')
  expect(screen.getByRole('radio', { name: 't3.small', description: /fits about 30 sites/ })).toBeTruthy()
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
