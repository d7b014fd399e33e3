import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner } from '#tests/web/screen.tsx'
import type { EventBus } from '#web/lib/events/event-bus.ts'
import { BusContext } from '#web/lib/events/use-events.ts'
import { SessionProvider } from '#web/lib/session/session.tsx'
import { UsageMeter } from './usage-meter.tsx'

const api = apiServer()

/** The meter of an organization with so many sites, where others can add some. */
function setup(initial: number) {
  let sites = initial
  const handlers = new Set<() => void>()
  const bus: EventBus = {
    onDoc: () => () => undefined,
    onList: (doctype, handler) => {
      if (doctype === 'Site') handlers.add(() => handler('new'))
      return () => undefined
    },
    connected: () => true,
    onConnection: () => () => undefined,
    close: () => undefined,
  }
  api.on('frappe.client.get_count', ({ body }) => ({
    message: body['doctype'] === 'Site' ? Math.min(sites, Number(body['limit'] ?? Infinity)) : 0,
  }))
  const planOf = (usage: number) => ({
    plans_enabled: true,
    plan_name: 'Agency',
    is_free_tier: false,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: usage, server: 0 },
    limits: { site: 10_000, server: 0 },
  })
  const session = { ...owner, subscription: planOf(initial) }
  const subscription = vi.fn(() => Promise.resolve(planOf(sites)))
  document.cookie = `user_id=${encodeURIComponent(owner.user ?? '')}`
  const source = {
    delivered: () => session,
    load: () => Promise.resolve({ session, problems: [] }),
    subscription,
    watch: () => () => undefined,
  }
  render(
    <MemoryRouter>
      <BusContext value={bus}>
        <SessionProvider source={source}>
          <UsageMeter />
        </SessionProvider>
      </BusContext>
    </MemoryRouter>,
  )
  return {
    subscription,
    addByOthers(count: number) {
      sites += count
      for (const handler of handlers) handler()
    },
  }
}

/** Limits of the counts that were read, in order; not of those that need attention. */
const limits = () =>
  api.calls.flatMap(({ name, body }) =>
    name === 'frappe.client.get_count' &&
    body['doctype'] === 'Site' &&
    /Archived/.test(JSON.stringify(body['filters'])) &&
    JSON.stringify(body['or_filters'] ?? []) === '[]'
      ? [body['limit'] ?? 'none']
      : [],
  )

test.each([900, 4000])('sites that others add to %i reach the meter, which stays quiet otherwise', async (initial) => {
  const { subscription, addByOthers } = setup(initial)
  expect(await screen.findByText(`${initial} of 10000`)).toBeTruthy()
  await expect.poll(limits).toEqual(initial > 1000 ? [1001, 'none'] : [1001])
  expect(subscription).not.toHaveBeenCalled()
  addByOthers(7)
  expect(await screen.findByText(`${initial + 7} of 10000`)).toBeTruthy()
  expect(subscription).toHaveBeenCalledOnce()
})
