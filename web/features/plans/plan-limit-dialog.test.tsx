import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { PlanLimitDialog } from './plan-limit-dialog.tsx'

const api = apiServer()

type Resource = 'site' | 'server'

/** Opens the dialog of an organization with 3 sites and 1 server unless `used` says otherwise, which is what its plan allows. */
function show(
  session: Session,
  { granted = null, of = 'site', used }: { granted?: number | null; of?: Resource; used?: number } = {},
): string {
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'ann@acme.example', full_name: 'Ann Owner' }] }))
  const subscription = {
    user: 'ann@acme.example',
    plans_enabled: true,
    plan_name: 'Free',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: 3, server: 1, ...(used !== undefined && { [of]: used }) },
    limits: { site: 3, server: 1 },
    overrides: { site: null, server: null, [of]: granted },
  }
  renderAs({ ...session, subscription }, <PlanLimitDialog resource={of} open onOpenChange={() => undefined} />)
  return screen.getByRole('dialog').textContent
}
const plans = () => screen.queryByRole('link', { name: 'See plans' })

test('the owner gets the way to the plans and is told to ask nobody', () => {
  const text = show(owner)
  expect(text).toContain('The Free plan allows 3 sites, and 3 exist.')
  expect(text).not.toContain('Ask')
  expect(plans()).toBeTruthy()
})

test('a member learns whom to ask', () => {
  expect(show(member)).toMatch(/Ask .+ for a larger plan\./)
  expect(plans()).toBeNull()
})

test.each([
  ['the owner', owner],
  ['a member', member],
])('at a limit that was granted, %s learns that the platform admin can raise it', (_who, session) => {
  const text = show(session, { granted: 3 })
  expect(text).toContain('The platform admin granted 3 sites')
  expect(text).toContain('Ask the platform admin for a higher limit.')
  expect(plans()).toBeNull()
})

test('of servers, it says how many there may be, and how to make room', () => {
  const text = show(owner, { of: 'server' })
  expect(text).toContain('The Free plan allows 1 server, and 1 exist. To make room, decommission a server.')
  expect(plans()).toBeTruthy()
})

test('a granted limit of servers is the platform admin’s to raise', () => {
  const text = show(member, { of: 'server', granted: 1 })
  expect(text).toContain('The platform admin granted 1 server')
  expect(text).toContain('decommission a server')
  expect(plans()).toBeNull()
})

test('above the limit, as after a move to a smaller plan, it says how many have to go', () => {
  expect(show(owner, { used: 5 })).toContain(
    'The Free plan allows 3 sites, and 5 exist. To make room, archive 3 sites.',
  )
})

test('the same for servers, of which more were granted once', () => {
  expect(show(owner, { used: 4, of: 'server', granted: 1 })).toContain(
    'and 4 exist. To make room, decommission 4 servers.',
  )
})
