/** What the row of an invitation offers, with and without a mail server. */
import { screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { InvitationButtons } from './invitation-buttons.tsx'
import { peopleOf } from './people.ts'
import { personColumns } from './person-columns.tsx'
import type { MemberActions } from './use-member-actions.tsx'

const time = '2026-11-21 14:00:00.000000'
const [invited] = peopleOf(
  [],
  [
    {
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
    },
  ],
  owner.user,
)

const nothing = async () => undefined
const idle: MemberActions = {
  changeRole: nothing,
  confirm: nothing,
  resend: nothing,
  copyLink: nothing,
  ask: () => undefined,
  dialogs: null,
}

afterEach(() => vi.unstubAllGlobals())

/** Names of the buttons in the row, and what they called. */
async function buttonsOf(seesSignIn: boolean): Promise<string[]> {
  const called: string[] = []
  const act = (name: string) => async () => void called.push(name)
  const actions: MemberActions = {
    changeRole: act('changeRole'),
    confirm: act('confirm'),
    resend: act('resend'),
    copyLink: act('copyLink'),
    ask: () => undefined,
    dialogs: null,
  }
  const columns = personColumns(seesSignIn, () => true, actions)
  const { user } = renderAs(
    owner,
    <>
      <section aria-label="Columns">
        {invited && columns.map((column, at) => <p key={column.field}>{at > 0 && column.render?.(invited)}</p>)}
      </section>
      {invited && <InvitationButtons person={invited} actions={actions} room="wide" />}
    </>,
  )
  // They are about the person, so no column of a field holds them.
  expect(within(screen.getByRole('region', { name: 'Columns' })).queryAllByRole('button')).toEqual([])
  const found = []
  for (const button of screen.getAllByRole('button')) {
    await user.click(button)
    found.push(`${button.textContent}: ${called.at(-1)}`)
  }
  return found
}

test.each([true, false])('with a mail server it is sent again, or its link copied (%s)', async (seesSignIn) => {
  vi.stubGlobal('easydash', { mail_server: true })
  expect(await buttonsOf(seesSignIn)).toEqual([
    'Copy link ben@acme.example: copyLink',
    'Send again ben@acme.example: resend',
  ])
})

test.each([true, false])('without one nothing says that it sends (%s)', async (seesSignIn) => {
  vi.stubGlobal('easydash', { mail_server: false })
  expect(await buttonsOf(seesSignIn)).toEqual(['Copy link ben@acme.example: copyLink'])
})

test('on a phone, the card of an invitation offers what its reader has to do', async () => {
  vi.stubGlobal('easydash', { mail_server: false })
  const called: string[] = []
  const act = (name: string) => async () => void called.push(name)
  const actions: MemberActions = { ...idle, confirm: act('confirm'), copyLink: act('copyLink') }
  const [first] = personColumns(true, () => true, actions)
  const waiting = invited && { ...invited, signed_up: time }
  const { user } = renderAs(
    owner,
    <>
      {invited && first?.cardButton?.(invited)}
      {waiting && first?.cardButton?.(waiting)}
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Copy link ben@acme.example' }))
  await user.click(screen.getByRole('button', { name: 'Confirm ben@acme.example' }))
  expect(called).toEqual(['copyLink', 'confirm'])
  const [ofColleague] = personColumns(true, () => false, actions)
  expect(invited && ofColleague?.cardButton?.(invited)).toBeNull()
})

test('with less room, the row offers what its reader has to do', async () => {
  vi.stubGlobal('easydash', { mail_server: false })
  const called: string[] = []
  const act = (name: string) => async () => void called.push(name)
  const actions = { confirm: act('confirm'), resend: act('resend'), copyLink: act('copyLink') }
  const rows = invited ? [invited, { ...invited, signed_up: time }] : []
  const { user } = renderAs(
    owner,
    <>
      {rows.map((row) => (
        <InvitationButtons key={row.signed_up} person={row} actions={actions} room="narrow" />
      ))}
    </>,
  )
  for (const button of screen.getAllByRole('button')) await user.click(button)
  expect(called).toEqual(['copyLink', 'confirm'])
})

test.each([
  ['Sent', time, false],
  ['Created', null, false],
  ['The email could not be delivered,', time, true],
])('%s: an invitation says that it was sent only if it was', (word, sent, undelivered) => {
  vi.stubGlobal('easydash', { mail_server: true })
  const [name] = personColumns(true, () => true, idle)
  const { container } = renderAs(
    owner,
    <TooltipProvider>{invited && name?.render?.({ ...invited, sent, undelivered })}</TooltipProvider>,
  )
  expect(container.textContent).toMatch(new RegExp(`^${word} `))
})
