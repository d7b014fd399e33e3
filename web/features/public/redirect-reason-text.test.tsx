import { expect, test } from 'vitest'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { RedirectReasonText } from './redirect-reason-text.tsx'

function textFor(reason: GateReason, session: Session, user: string | null, granted: number | null = null): string {
  const subscription = {
    user,
    plans_enabled: true,
    plan_name: 'Free',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: 1, server: 1 },
    limits: { site: 1, server: 1 },
    overrides: { site: granted, server: null },
  }
  return renderAs({ ...session, subscription }, <RedirectReasonText reason={reason} />).container.textContent
}
const ann = 'ann@acme.example'

test('reasons that only the owner can resolve name the owner if known', () => {
  expect(textFor('owner_only', member, ann)).toBe(
    `This page is for the owner of the organization. The owner is ${ann}.`,
  )
  expect(textFor('site_limit', member, ann)).toContain(`The owner is ${ann}.`)
  expect(textFor('owner_only', member, null)).toBe('This page is for the owner of the organization.')
})

test('the owner’s name is omitted for the owner and for other reasons', () => {
  expect(textFor('site_limit', owner, ann)).not.toContain(ann)
  expect(textFor('admins_only', member, ann)).not.toContain(ann)
})

test('the owner is not told to ask the owner, and nobody to change a plan that does not matter', () => {
  for (const reason of ['site_limit', 'server_limit'] as const) {
    expect(textFor(reason, owner, ann)).toMatch(/^Your plan has no room/)
    expect(textFor(reason, owner, ann)).not.toContain('owner')
  }
  for (const session of [owner, member])
    expect(textFor('site_limit', session, ann, 5)).toBe('The limit is reached. The platform admin can raise it.')
})
