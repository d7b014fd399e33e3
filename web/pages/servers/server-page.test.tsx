import { screen, within } from '@testing-library/react'
import { Suspense } from 'react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServerPage } from './server-page.tsx'

const api = apiServer()

/** Renders the page of a server; resolves when it is there. */
async function setup(server: object): Promise<void> {
  const doc = { name: 'v1', hostname: 'web-1', engine: 'ee', owner: owner.user, creation: sampleTime, ...server }
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('resource/Server/v1', () => ({ data: doc }))
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <TooltipProvider>
      <PathParams value={{ server: 'v1' }}>
        <Suspense>
          <ServerPage />
        </Suspense>
      </PathParams>
    </TooltipProvider>,
    '/server/v1',
  )
  await screen.findByRole('heading', { level: 1, name: 'web-1' })
}

const reason = { failure_reason: 'Nobody answers at 192.0.2.1. Check its network.', failure_since: hoursAgo(6) }

test.each(['Disconnected', 'Degraded', 'Failed'])(
  'the page of a server that is %s says why, since when, and when it last answered',
  async (status) => {
    await setup({ status, ...reason, checked_at: hoursAgo(7) })
    const panel = screen.getByText(reason.failure_reason).closest('[role]')
    expect(panel?.textContent).toContain(status)
    expect(panel?.textContent).toMatch(/Since 6 hours ago.*Last contact 7 hours ago/)
  },
)

test.each(['Disconnected', 'Degraded'])('a server that is %s can be measured again', async (status) => {
  await setup({ status, ...reason })
  expect(await screen.findByRole('button', { name: 'Refresh metrics' })).toBeTruthy()
})

test('a server without a recorded reason, and without any contact, says that', async () => {
  await setup({ status: 'Failed', failure_reason: null, failure_since: hoursAgo(6), checked_at: null })
  const panel = screen.getByText(/reason was not recorded/).closest('[role]')
  expect(within(panel as HTMLElement).getByText('No contact so far')).toBeTruthy()
})

test('a healthy server has no such panel', async () => {
  await setup({ status: 'Healthy', ...reason })
  expect(screen.queryByText(reason.failure_reason)).toBeNull()
})
