import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServersPage } from './servers-page.tsx'

const api = apiServer()

/** Renders the page of an organization with these servers, by their security updates; resolves when it is there. */
async function setup(updates: readonly (number | null)[], session: Partial<Session> = {}) {
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: { name: 'meta' } }))
  api.on('frappe.client.get_count', ({ body }) => ({
    message: body['doctype'] === 'Server' && !/Disconnected/.test(JSON.stringify(body['filters'])) ? updates.length : 0,
  }))
  const groups = [...Map.groupBy(updates, (one) => one)].map(([security_updates, { length: n }]) => ({
    security_updates,
    n,
  }))
  // A list would end at 500 servers.
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['group_by'] === 'security_updates' ? groups : [] }))
  const { container } = renderAs(
    { ...owner, modules: { ee: true, wpc: false }, ...session },
    <TooltipProvider>
      <ServersPage />
    </TooltipProvider>,
    '/server',
  )
  await screen.findByRole('heading', { name: 'Servers' })
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return container
}

/** Text of the card with the security updates, and the color of its icon. */
const card = () => {
  const box = screen.getByRole('heading', { name: 'Security updates' }).parentElement
  const text = [...(box?.querySelectorAll('b, a, .truncate.text-muted') ?? [])].map(({ textContent }) => textContent)
  return [text.join(' '), /text-m-(\w+)/.exec(box?.querySelector('svg')?.getAttribute('class') ?? '')?.[1]]
}

test('security updates are counted, with the way to their servers', async () => {
  await setup([3, 0, 1, null])
  expect(card()).toEqual(['4 security updates on 2 servers', 'warn'])
  const href = screen.getByRole('link', { name: '4 security updates' }).getAttribute('href') ?? ''
  expect(new URL(href, location.href).searchParams.getAll('security_updates')).toEqual(['["!=",0]'])
})

test('all servers are counted, also those that no list has', async () => {
  await setup(Array<number>(600).fill(2))
  expect(card()).toEqual(['1,200 security updates on 600 servers', 'warn'])
})

test.each([
  [[0, 0], 'No security updates', 'ok'],
  [[0, null], 'No security updates 1 of 2 servers checked', 'off'],
  [[null], 'Security updates not checked yet', 'off'],
  [Array<number>(1200).fill(0), 'No security updates', 'ok'],
])('nothing is green that was not observed: %#', async (updates, text, color) => {
  await setup(updates)
  expect(card()).toEqual([text, color])
})

test('members, who cannot read it, are told nothing of it', async () => {
  await setup([3], member)
  expect(screen.queryByRole('heading', { name: 'Security updates' })).toBeNull()
  expect(JSON.stringify(api.calls)).not.toContain('security_updates')
})

const plan = (server: number) => ({
  ...{ plans_enabled: true, plan_name: 'Growth', is_free_tier: false, is_canceled: false, cancelation_date: null },
  ...{ usage: { site: 0, server }, limits: { site: 25, server: 5 } },
})

test('from 80 % of the plan’s servers on, who can create one is told, once', async () => {
  const container = await setup([0, 0, 0, 0], { subscription: plan(4) })
  expect(screen.getByText(/^4 of 5 servers of the Growth plan are used/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See plans' })).toBeTruthy()
  expect(container.textContent).not.toContain('in your plan')
})

test('below that, the title says how many there may be', async () => {
  const container = await setup([0, 0, 0], { subscription: plan(3) })
  expect(container.textContent).toContain('3 of 5 in your plan')
  expect(screen.queryByText(/of the Growth plan/)).toBeNull()
})

test('who cannot create servers sees the number, without the hint', async () => {
  const role = 'Organization Manager'
  const organization = { name: 'acme', title: 'Acme', role, owner: false } as const
  const container = await setup([0, 0, 0, 0], { organization, subscription: plan(4) })
  expect(container.textContent).toContain('4 of 5 in your plan')
  expect(screen.queryByText(/of the Growth plan/)).toBeNull()
})
