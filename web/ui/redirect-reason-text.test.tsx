import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import type { GateReason } from '#web/lib/routing/redirect-reason.ts'
import { RedirectReasonText } from './redirect-reason-text.tsx'

const page = testRender()
const session = vi.hoisted(() => ({ now: {} as object }))
vi.mock('#web/lib/session/session.tsx', () => ({ useSession: () => session.now }))

function said(reason: GateReason, owner: boolean, user: string | null): string {
  session.now = { organization: { owner }, subscription: { user } }
  act(() => page.root.render(<RedirectReasonText reason={reason} />))
  return page.place.textContent
}
const ann = 'ann@acme.example'

test('what only the owner may names the owner, where that is known', () => {
  expect(said('owner_only', false, ann)).toBe(`This page is for the owner of the organization. The owner is ${ann}.`)
  expect(said('site_limit', false, ann)).toContain(`The owner is ${ann}.`)
  expect(said('owner_only', false, null)).toBe('This page is for the owner of the organization.')
})

test('nobody is told who the owner is where that is no matter or oneself', () => {
  expect(said('site_limit', true, ann)).not.toContain(ann)
  expect(said('admins_only', false, ann)).not.toContain(ann)
})
