import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PlansTab } from './plans-tab.tsx'

const api = apiServer()

test('a platform admin turns plans off, which takes away their table; a refusal says why and changes nothing', async () => {
  const stored = { name: 'platform', plans_enabled: 1, modified: '2026-01-01 00:00:00.000000' }
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('resource/Platform%20Settings/platform', ({ verb, body }) => {
    if (verb === 'PUT') stored.plans_enabled = Number(body['plans_enabled'])
    return { data: { ...stored } }
  })
  const { user } = renderAs({ ...owner, platformAdmin: true }, <PlansTab />)
  await user.click(await screen.findByRole('switch', { name: 'Plans', checked: true }))
  expect(await screen.findByText(/^Nothing is limited/)).toBeTruthy()
  expect(screen.queryByRole('table', { name: 'Plans' })).toBeNull()
  await user.click(screen.getByRole('switch', { name: 'Plans', checked: false }))
  expect(await screen.findByRole('table', { name: 'Plans' })).toBeTruthy()

  api.on('resource/Platform%20Settings/platform', ({ verb }) =>
    verb === 'PUT'
      ? { status: 417, body: { message: 'Plans are paid for on this installation.' } }
      : { data: { ...stored } },
  )
  await user.click(screen.getByRole('switch', { name: 'Plans' }))
  await expect.poll(() => api.calls.filter(({ verb }) => verb === 'PUT').length).toBe(3)
  expect(await screen.findByRole('switch', { name: 'Plans', checked: true })).toHaveProperty('disabled', false)
  expect(screen.getByRole('table', { name: 'Plans' })).toBeTruthy()
})
