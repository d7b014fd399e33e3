/** What the list of users says about people, and what it marks. */
import { expect, test } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { peopleOf, type Person } from './people.ts'
import { personColumns } from './person-columns.tsx'

const time = '2026-11-21 14:00:00.000000'
const invitation = {
  name: 'i1',
  organization: 'acme',
  user: 'ben@acme.example',
  organization_role: 'Organization User',
  status: 'pending',
  invited_by: owner.user,
  creation: time,
  link_created: time,
  sent: null,
  undelivered: false,
  expires: time,
  signed_up: null,
  joined: null,
  declined: null,
} as const
const [invited] = peopleOf([], [invitation], owner.user) as [Person]

const nothing = async () => undefined
const idle = {
  changeRole: nothing,
  confirm: nothing,
  resend: nothing,
  copyLink: nothing,
  ask: () => undefined,
  dialogs: null,
}

/** A cell of a person's row. */
function cell(field: string, person: Person): HTMLElement {
  const column = personColumns(true, () => true, idle).find((one) => one.field === field)
  return renderAs(owner, <TooltipProvider>{column?.render?.(person)}</TooltipProvider>).container
}

test.each([
  ['Pending', {}, 'none'],
  ['Expired', { status: 'Expired' }, 'off'],
  ['Joined', { kind: 'member', status: 'Joined' }, 'ok'],
  ['Waiting for confirmation', { signed_up: time }, 'warn'],
] as const)('only who waits for an act of the reader is amber: %s', (label, change, tone) => {
  const status = cell('status', { ...invited, ...change }).querySelector('[data-tone]')
  expect([status?.textContent, status?.getAttribute('data-tone')]).toEqual([label, tone])
})

test('a member who never logged in was never active', () => {
  const neverActive: Person = { ...invited, kind: 'member', status: 'Joined', last_active: null }
  expect(cell('last_active', neverActive).textContent).toBe('Never')
})
