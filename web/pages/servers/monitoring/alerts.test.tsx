import { act, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { serverAlerts } from '#shared/responses/server-alerts.ts'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { Alerts } from './alerts.tsx'

const api = apiServer()
const stamp = (hours: number) => `${hoursAgo(hours)}000`
const rule = { name: null, source: 'default', enabled: 1, severity: 'warning' } as const
const incident = { subject: '', cause_i18n: null, severity: 'warning', threshold: 90 } as const
const alerts = serverAlerts.parse({
  rules: [
    { ...rule, metric: 'cpu', threshold: 90, minutes: 15, state: 'firing', value: 97 },
    { ...rule, metric: 'swap', threshold: 80, minutes: 30, state: 'unknown', value: null },
    { ...rule, metric: 'disconnected', threshold: 0, minutes: 5, severity: 'critical', state: 'fine', value: null },
  ],
  incidents: [
    { ...incident, metric: 'cpu', started: stamp(2), ended: null, cause: 'CPU usage: 97 %.', value: 97 },
    { ...incident, metric: 'disk', started: stamp(9), ended: stamp(8), cause: 'Disk usage: 95 %.', value: 91 },
  ],
})

function setup(session: Session = owner) {
  api.on('run_doc_method', () => ({ message: alerts }))
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'common' }] }))
  api.on('resource/Alert%20Rule', ({ body }) => ({ data: { name: 'new', ...body } }))
  api.on('resource/Alert%20Rule/common', ({ body }) => ({ data: { name: 'common', ...body } }))
  const server = { name: 'v1', organization: 'acme' } as unknown as Server
  return renderAs(
    session,
    <TooltipProvider>
      <Alerts server={server} />
    </TooltipProvider>,
  )
}
const line = async (list: string, at: number) =>
  within(await screen.findByRole('region', { name: list })).getAllByRole('listitem')[at]?.textContent
const sent = () => api.calls.filter(({ name, verb }) => name.includes('Alert') && verb !== 'GET')

test('rules with whose they are and what they find, and incidents with their cause', async () => {
  setup()
  expect(await line('Alert rules', 0)).toBe('CPUAbove 90% for 15 minutes · Warning · DefaultReportedNow 97%Change…')
  expect(await line('Alert rules', 1)).toContain('Not observed')
  expect(await line('Alert rules', 2)).toBe('No answer by SSHFor 5 minutes · Critical · DefaultOKChange…')
  expect(await line('Incidents', 0)).toBe('CPUCPU usage: 97 %.Since 2 hours ago · Last value 97%')
  expect(await line('Incidents', 1)).toBe('DiskDisk usage: 95 %.Began 9 hours ago · Lasted 1 h')
  expect(screen.getByText('1 ongoing')).toBeTruthy()
})

test('a rule is made for one server or changed for all, and a wrong number is not sent', async () => {
  const { user } = setup()
  const open = async () => {
    await user.click(await screen.findByRole('button', { name: 'Change the rule: CPU' }))
    return within(await screen.findByRole('dialog', { name: 'Alert rule: CPU' }))
  }
  let dialog = await open()
  const threshold = dialog.getByRole('textbox', { name: /Threshold/ })
  await user.clear(threshold)
  await user.type(threshold, '100')
  const save = () => user.click(dialog.getByRole('button', { name: 'Save' }))
  await save()
  expect(await dialog.findByText('Enter a number from 1 to 99.')).toBeTruthy()
  expect(sent()).toEqual([])
  await user.clear(threshold)
  await user.type(threshold, '75')
  await save()
  await expect.poll(() => sent().length).toBe(1)
  expect(sent()[0]).toMatchObject({
    name: 'resource/Alert%20Rule',
    body: { organization: 'acme', server: 'v1', metric: 'cpu', threshold: 75, minutes: 15, enabled: 1 },
  })
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  dialog = await open()
  await user.selectOptions(
    dialog.getByRole('combobox', { name: 'Holds for' }),
    'All servers without a rule of their own',
  )
  await save()
  await expect.poll(() => sent().length).toBe(2)
  expect(sent()[1]).toMatchObject({ verb: 'PUT', name: 'resource/Alert%20Rule/common', body: { threshold: 90 } })
})

test('managers see the rules and do not change them', async () => {
  setup({ ...owner, organization: { name: 'acme', title: 'Acme', role: 'Organization Manager', owner: false } })
  await screen.findByRole('region', { name: 'Alert rules' })
  expect(screen.queryByRole('button', { name: /Change/ })).toBeNull()
})

test('what is no longer read is said above what was read before', async () => {
  setup()
  await screen.findByRole('region', { name: 'Alert rules' })
  api.on('run_doc_method', () => ({ status: 417, body: { message: 'The rules cannot be judged now.' } }))
  await act(() => dataClient.refetchQueries())
  expect(await screen.findByText('The rules cannot be judged now.')).toBeTruthy()
  expect(await line('Alert rules', 0)).toContain('Reported')
})
