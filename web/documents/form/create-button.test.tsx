import { screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
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
  expect(container.querySelector('.tour-create')?.textContent).toBe('Create site')
})

it('shows that the plan is full instead of linking to a page that would redirect back', async () => {
  const { user, container } = setup(plan(3, 3))
  expect(screen.queryByRole('link')).toBeNull()
  expect(container.querySelector('.tour-create')?.textContent).toBe('Create site')
  expect(screen.getByRole('status').textContent).toBe('nothing')
  await user.click(screen.getByRole('button', { name: 'Create site' }))
  expect(screen.getByRole('status').textContent).toBe('site')
})
