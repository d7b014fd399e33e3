import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { SshTab } from './ssh-tab.tsx'

const api = apiServer()
const line = (last: string, comment: string) =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4${last} ${comment}`.trim()
const server = {
  ...{ name: 'v1', modified: 'm1', hostname: 'web-1', organization: 'acme', public_ipv4: '192.0.2.1' },
  ...{ ssh_user: 'root', ssh_port: 2222, host_key: 'SHA256:abc', authorized_keys: line('f', 'ann') },
}

function setup(session: Session = owner) {
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', default_authorized_keys: line('g', 'ops') } }))
  api.on('resource/Server/v1', ({ body }) => ({ data: { ...server, ...body } }))
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'k1', title: 'Laptop', public_key: line('h', '') }] }))
  api.on('run_doc_method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  return renderAs(session, <SshTab server={server as unknown as Server} />)
}

test('how to sign in and by what to know the server, and whose keys are there', async () => {
  setup()
  expect(screen.getByText('ssh root@192.0.2.1 -p 2222')).toBeTruthy()
  expect(screen.getByText('SHA256:abc')).toBeTruthy()
  expect(within(screen.getByRole('list', { name: 'Keys of this server' })).getByText('ann')).toBeTruthy()
  expect(within(await screen.findByRole('list', { name: 'Keys of the organization' })).getByText('ops')).toBeTruthy()
})

test('one’s own key is added to those of the server, which nobody changed meanwhile', async () => {
  const { user } = setup()
  await user.click(await screen.findByRole('button', { name: 'Laptop' }))
  await user.click(screen.getByRole('button', { name: 'Add key' }))
  await screen.findByRole('button', { name: 'Add key', busy: false })
  expect(api.calls.findLast(({ verb }) => verb === 'PUT')?.body).toEqual({
    authorized_keys: `${line('f', 'ann')}\n${line('h', 'Laptop')}`,
    modified: 'm1',
  })
})

test('managers see how to sign in, and no keys, which they cannot read', async () => {
  setup({ ...owner, organization: { name: 'acme', title: 'Acme', role: 'Organization Manager', owner: false } })
  expect(screen.getByText('ssh root@192.0.2.1 -p 2222')).toBeTruthy()
  expect(screen.queryByRole('list')).toBeNull()
  expect(api.calls).toEqual([])
})
