import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { RolesTab } from './roles-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const api = apiServer()
const away = (): Reply => ({ status: 403, body: { exception: 'Away' } })
const user = { name: owner.user, first_name: 'Ann', full_name: 'Ann', language: 'en' } as User

/** Lets every read fail, without another try. */
beforeEach(() => {
  for (const name of [
    'frappe.client.get_list',
    'frappe.client.get_count',
    'easydash.api.sessions.list',
    'resource/:doctype/:name',
    ':method',
  ])
    api.on(name, away)
})

test('settings: each part that failed to load shows an error instead of loading forever', async () => {
  const { container } = renderAs(owner, <SettingsTab user={user} />)
  for (const text of [
    'Your keys could not be read',
    'Your tokens could not be read',
    'Your external usernames could not be read',
  ])
    expect(await screen.findByText(text)).toBeTruthy()
  await waitFor(() => expect(container.querySelector('.sk')).toBeNull())
})

test('role: a member that failed to load shows an error', async () => {
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', _owner: user.name } }))
  renderAs(owner, <RolesTab user={user} />)
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(screen.getByText('The role could not be read')).toBeTruthy()
})

test('role: an organization that failed to load shows an error', async () => {
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'r1', organization_role: 'Organization User' }] }))
  renderAs(owner, <RolesTab user={user} />)
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(screen.getByText('The role could not be read')).toBeTruthy()
})
