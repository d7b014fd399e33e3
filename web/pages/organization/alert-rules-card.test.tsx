import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { AlertRulesCard } from './alert-rules-card.tsx'

const api = apiServer()
const swap = { name: 'r1', organization: 'acme', server: null, metric: 'swap', threshold: 50, minutes: 5 }

test('rules of all servers are the defaults until they are changed, and again afterwards', async () => {
  const stored = [{ ...swap, severity: 'critical', enabled: 1 }]
  api.on('frappe.client.get_list', ({ body }) => ({
    message: JSON.stringify(body['filters'] ?? '').includes('metric') ? [] : stored,
  }))
  api.on('resource/Alert%20Rule', ({ body }) => ({ data: { name: 'new', ...body } }))
  api.on('resource/Alert%20Rule/r1', () => ({ message: 'ok' }))
  const { user } = renderAs(owner, <AlertRulesCard organization="acme" />)
  const card = within(await screen.findByRole('region', { name: 'Alert rules of all servers' }))
  const lines = () => card.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(lines()).toContain('CPUAbove 90% for 15 minutes · Warning · DefaultChange…')
  expect(lines()).toContain('SwapAbove 50% for 5 minutes · CriticalChange…')
  await user.click(card.getByRole('button', { name: 'Change the rule: CPU' }))
  let dialog = within(await screen.findByRole('dialog', { name: 'Alert rule: CPU' }))
  expect(dialog.queryByRole('combobox', { name: 'Holds for' })).toBeNull()
  expect(dialog.queryByRole('button', { name: 'Use the default' })).toBeNull()
  await user.click(dialog.getByRole('checkbox', { name: 'On' }))
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  const sent = () => api.calls.filter(({ name, verb }) => name.includes('Alert') && verb !== 'GET')
  expect(sent()[0]?.body).toEqual({
    ...{ organization: 'acme', metric: 'cpu', enabled: 0, threshold: 90, minutes: 15, severity: 'warning' },
  })
  await user.click(card.getByRole('button', { name: 'Change the rule: Swap' }))
  dialog = within(await screen.findByRole('dialog', { name: 'Alert rule: Swap' }))
  await user.click(dialog.getByRole('button', { name: 'Use the default' }))
  await expect.poll(() => sent()[1]).toMatchObject({ verb: 'DELETE', name: 'resource/Alert%20Rule/r1' })
})
