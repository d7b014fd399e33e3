import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { SshTab } from './ssh-tab.tsx'

const api = apiServer()
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f easydash'
const organization = { name: 'acme', title: 'Acme', default_authorized_keys: null } as Organization

function setup(default_public_key: string): ReturnType<typeof renderAs> {
  api.on('easydash.api.connections.facts', () => ({
    message: { egress_ips: [], bot_name: 'easydash-bot', default_public_key },
  }))
  return renderAs(owner, <SshTab organization={organization} />)
}

test('the public key of this installation is shown, to be copied', async () => {
  const { user } = setup(key)
  expect(await screen.findByText(key)).toBeTruthy()
  const copy = screen.getAllByRole('button', { name: /^Copy/ }).at(-1)
  if (copy) await user.click(copy)
  expect(await navigator.clipboard.readText()).toBe(key)
})
