import { screen } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { setShortcutsEnabled } from '#web/lib/browser/shortcuts.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { showLimit, useLimitNotice } from '../actions/limit-notice.ts'
import { CreateButton } from './create-button.tsx'

function plan(used: number, limit: number): Session {
  const subscription = {
    plans_enabled: true,
    plan_name: 'Free',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    usage: { site: used, server: 0 },
    limits: { site: limit, server: 0 },
  }
  return { ...owner, subscription }
}

function LimitShown() {
  return <output>{useLimitNotice() ?? 'nothing'}</output>
}

beforeEach(() => {
  showLimit(null)
})
afterEach(() => setShortcutsEnabled(true))
const setup = (session: Session) =>
  renderAs(
    session,
    <>
      <CreateButton to="/site/create">Create site</CreateButton>
      <LimitShown />
    </>,
  )

it.each([
  ['the plan has room', plan(2, 3)],
  ['the plan has no limit', plan(9, 0)],
  ['nobody knows', owner],
])('links to the page when %s', (_where, session) => {
  const { container } = setup(session)
  expect(screen.getByRole('link', { name: 'Create site' }).getAttribute('href')).toMatch(/\/site\/create$/)
  expect(screen.queryByRole('button')).toBeNull()
  expect(container.querySelector('.tour-create')?.textContent).toBe('Create siteC S')
})

it('shows that the plan is full instead of linking to a page that would redirect back', async () => {
  const { user, container } = setup(plan(3, 3))
  expect(screen.queryByRole('link')).toBeNull()
  expect(container.querySelector('.tour-create')?.textContent).toBe('Create siteC S')
  expect(screen.getByRole('status').textContent).toBe('nothing')
  await user.click(screen.getByRole('button', { name: 'Create site' }))
  expect(screen.getByRole('status').textContent).toBe('site')
})

it('shows its keys unless they are off, or open something else, or another button has them', () => {
  const keysOf = (props: Partial<ComponentProps<typeof CreateButton>>) => {
    const button = (
      <CreateButton to="/server/create" {...props}>
        Create it
      </CreateButton>
    )
    return renderAs(owner, button).container.querySelector('kbd')?.textContent
  }
  expect(keysOf({})).toBe('C V')
  expect([keysOf({ plain: true }), keysOf({ block: true }), keysOf({ search: '?server=v1' })]).toEqual(
    Array.from({ length: 3 }),
  )
  expect(screen.getAllByRole('link', { name: 'Create it' }).at(-1)?.getAttribute('href')).toBe(
    '/server/create?server=v1',
  )
  setShortcutsEnabled(false)
  expect(keysOf({})).toBeUndefined()
})
