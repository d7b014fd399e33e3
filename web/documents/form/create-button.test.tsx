import { act } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import { CreateButton } from './create-button.tsx'
import { sayLimit, useSaidLimit } from '../actions/limit-question.ts'

const page = testRender()

const session = vi.hoisted(() => ({ now: null as unknown }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => session.now,
}))

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
  return { ...signedOut, subscription }
}

function Said() {
  return <output>{useSaidLimit() ?? 'nothing'}</output>
}

beforeEach(() => {
  sayLimit(null)
})
function draw(now: Session): void {
  session.now = now
  act(() =>
    page.root.render(
      <MemoryRouter>
        <CreateButton to="/site/create">Create site</CreateButton>
        <Said />
      </MemoryRouter>,
    ),
  )
}
const said = () => page.place.querySelector('output')?.textContent

it('leads to the page while the plan has room, and where nobody knows', () => {
  for (const now of [plan(2, 3), plan(9, 0), signedOut]) {
    draw(now)
    expect(page.place.querySelector('a')?.getAttribute('href')).toMatch(/\/site\/create$/)
    expect(page.place.querySelector('button')).toBeNull()
  }
})

it('is what a tour points at, with and without room', () => {
  for (const now of [plan(2, 3), plan(3, 3)]) {
    draw(now)
    expect(page.place.querySelector('.tour-create')?.textContent).toBe('Create site')
  }
})

it('says that the plan is full instead of leading to a page that sends back', () => {
  draw(plan(3, 3))
  expect(page.place.querySelector('a')).toBeNull()
  expect(said()).toBe('nothing')
  act(() => page.place.querySelector('button')?.click())
  expect(said()).toBe('site')
})
