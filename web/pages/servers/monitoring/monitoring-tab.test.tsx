import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Server } from '#shared/doctypes/server.ts'
import { serverMonitoring, type ServerMonitoring } from '#shared/responses/server-monitoring.ts'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { MonitoringTab } from './monitoring-tab.tsx'

const api = apiServer()
const stamp = (hours: number) => `${hoursAgo(hours)}000`
const now = stamp(0)
const check = { observed: now, value: null, detail: null }
const service = { since: stamp(3), restarts: 0 }
const container = { exit_code: null, since: stamp(2), restarts: 0, site: null, service: null }

const observed: ServerMonitoring = {
  ...{ observed: now, cpu: 2, docker: 'running' },
  checks: [
    { ...check, key: 'reach', verdict: 'ok' },
    { ...check, key: 'disk', verdict: 'failed', value: 97 },
    { ...check, key: 'load', verdict: 'ok', value: 0.4 },
    { ...check, key: 'updates', verdict: 'warn', value: 2, observed: stamp(0.1) },
    { ...check, key: 'reboot', verdict: 'unknown', observed: null },
    { ...check, key: 'proxy', verdict: 'none', value: 0 },
  ],
  services: [
    { ...service, unit: 'docker.service', state: 'running', verdict: 'ok' },
    { ...service, unit: 'cron.service', state: 'failed', verdict: 'failed', restarts: 5 },
    { unit: 'easydash-metrics.timer', state: 'missing', verdict: 'none', since: null, restarts: null },
  ],
  containers: [
    {
      ...container,
      name: 'services_global-db_1',
      kind: 'global',
      service: 'global-db',
      state: 'running',
      verdict: 'ok',
    },
    {
      ...container,
      ...{ name: 'shop-php-1', kind: 'site', site: 'shop.example', service: 'php', state: 'exited', verdict: 'failed' },
      ...{ exit_code: 137, restarts: 3 },
    },
  ],
}

function setup(message: unknown, server: Partial<Server> = {}) {
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'get_alerts' ? { rules: [], incidents: [] } : message,
  }))
  const doc = { name: 'v1', status: 'Healthy', automatic_updates: 1, ...server } as unknown as Server
  return renderAs(
    owner,
    <TooltipProvider>
      <MonitoringTab server={doc} />
    </TooltipProvider>,
  )
}

/** The line of a list that a text begins. */
const line = (text: string) => screen.getByText(text).closest('li')

test('verdicts with what they rest on and the way out, services, and containers by site', async () => {
  const { user } = setup(serverMonitoring.parse(observed))
  expect(await screen.findByText('2 of 5 passed')).toBeTruthy()
  expect(line('Disk')?.textContent).toMatch(/Disk, Problem97% usedDelete what is not needed/)
  expect(line('Load')?.textContent).toBe('Load, OK0.4 on average, 2 processors')
  expect(line('Security updates')?.textContent).toMatch(/Needs a look2 pendingAutomatic .*Observed 6 minutes ago/)
  expect(line('Restart')?.textContent).toMatch(/Not observedThe server does not say/)
  expect(line('Web server')?.textContent).toMatch(/Not neededNothing answers/)
  expect(line('Cron')?.textContent).toMatch(
    /journalctl -u cron\.service on the serverFailedSince 3 hours ago5 restarts/,
  )
  expect(line('Metrics agent')?.textContent).toBe('Metrics agentNot installed')
  // On phones the time and the restarts are below the state, elsewhere in columns.
  const table = screen.getByRole('table', { name: 'Containers' })
  expect(
    within(table)
      .getAllByRole('row')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'ContainerStateSinceRestarts',
    'EasyEngine, for all sites',
    'global-dbservices_global-db_1Running2 hours ago2 hours ago0',
    'shop.example',
    'phpshop-php-1Ended with code 1372 hours ago3 restarts2 hours ago3',
  ])
  const before = api.calls.length
  await user.click(screen.getByRole('button', { name: 'Check again' }))
  await screen.findByRole('button', { name: 'Check again', busy: false })
  expect(api.calls.slice(before)).toMatchObject([{ body: { dt: 'Server', dn: 'v1', method: 'get_monitoring' } }])
})

test('of a server that does not answer nothing is green', async () => {
  const advice = 'No SSH connection to 192.0.2.1. Check that the server runs.'
  const { container: page } = setup({
    ...{ observed: null, cpu: 2, docker: null, services: null, containers: null },
    checks: [
      { ...check, key: 'reach', verdict: 'failed', detail: advice },
      { ...check, key: 'disk', verdict: 'unknown', value: 20, observed: stamp(5) },
      { ...check, key: 'proxy', verdict: 'unknown', observed: null },
    ],
  })
  expect(await screen.findByText(advice)).toBeTruthy()
  expect(screen.getByText('No answer just now')).toBeTruthy()
  expect(line('Disk')?.textContent).toBe('Disk, Not observedNot observed since 5 hours ago')
  expect(screen.getAllByText('Not read: the server did not answer.')).toHaveLength(2)
  expect(page.querySelector('.text-m-ok')).toBeNull()
})

test('what is no answer of this server is refused, and a server that is not set up is not asked', async () => {
  setup({ checks: 'all fine' })
  expect(await screen.findByText('The server could not be checked')).toBeTruthy()
  const before = api.calls.length
  setup(observed, { status: 'Provisioning' })
  expect(screen.getByText('Not watched now')).toBeTruthy()
  expect(api.calls.slice(before).map(({ body }) => body['method'])).not.toContain('get_monitoring')
})
