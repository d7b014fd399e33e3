// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter, useLocation, useNavigate, type NavigateFunction } from 'react-router'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import { keptTour, type TourWish } from '#web/lib/session/tour-list.ts'
import type { TourStep } from './tour-steps.ts'
import { Tours } from './tours.tsx'

const page = testRender()

const now = vi.hoisted(() => ({ session: null as unknown, servers: 1, at: 0, width: 'desktop' }))
vi.mock('#web/lib/browser/use-breakpoint.ts', () => ({ useBreakpoint: () => now.width }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => now.session,
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({
  useCount: (doctype: string | null) => ({ data: doctype === null ? undefined : now.servers, error: null }),
}))
/** Mock of the rendering: the started tours, and whether the last one is on screen. */
const shown = vi.hoisted(() => ({
  tours: [] as { tour: TourWish; steps: readonly TourStep[] }[],
  on: false,
  /** Ends the last tour, finished or closed. */
  over: (_finished: boolean): void => undefined,
}))
vi.mock('./tour-run.ts', () => ({
  focusBeside: () => null,
  runTour: (tour: TourWish, steps: readonly TourStep[], { onEnd }: { onEnd: (finished: boolean) => void }) => {
    shown.tours.push({ tour, steps })
    shown.on = true
    now.at = tour.step
    const off = () => {
      const was = shown.on
      shown.on = false
      return was
    }
    shown.over = (finished) => {
      if (off()) onEnd(finished)
    }
    const { over } = shown
    return {
      end: () => over(false),
      hold: () => {
        off()
        return now.at
      },
    }
  },
}))

const screens = ['/', '/site', '/site/create', '/organization', '/user', '/billing']
const seen = vi.fn(() => Promise.resolve())

function owner(sites: number): Session {
  return {
    ...signedOut,
    organization: { name: 'moss', title: 'Moss', role: 'Organization Admin', owner: true },
    subscription: {
      plans_enabled: true,
      plan_name: 'Free',
      is_free_tier: true,
      is_canceled: false,
      cancelation_date: null,
      usage: { site: sites, server: 1 },
      limits: { site: 3, server: 1 },
    },
  }
}

/** Current path and navigate function. */
const hand: { go: NavigateFunction | null; path: string } = { go: null, path: '' }
function Way() {
  const go = useNavigate()
  const path = useLocation().pathname
  useEffect(() => {
    Object.assign(hand, { go, path })
  })
  return null
}
function draw(tour: TourWish, start = '/'): void {
  act(() =>
    page.root.render(
      <MemoryRouter initialEntries={[start]}>
        <Tours tour={tour} screens={screens} onSeen={seen} />
        <Way />
      </MemoryRouter>,
    ),
  )
}
const visit = (to: string) => act(() => void hand.go?.(to))
const last = () => {
  const { tour, steps } = shown.tours.at(-1) ?? {}
  return steps?.[tour?.step ?? -1]
}

beforeEach(() => {
  sessionStorage.clear()
  vi.clearAllMocks()
  Object.assign(shown, { tours: [], on: false })
  now.session = owner(0)
  now.servers = 1
  now.width = 'desktop'
})

test('waits for the form and the job of the first site, then shows that site', () => {
  draw({ name: 'onboarding', step: 3 })
  expect(last()).toMatchObject({ name: 'create_site', opensForm: true })
  visit('/site/create')
  expect(shown.on).toBe(false)
  expect(keptTour()).toEqual({ name: 'onboarding', step: 3, held: 'form' })

  now.session = owner(1)
  visit('/site/a1b2c3d4e5?job=j1')
  expect(shown.on).toBe(false)
  expect(keptTour()).toEqual({ name: 'onboarding', step: 3, held: 'form', site: 'a1b2c3d4e5' })
  visit('/site/a1b2c3d4e5')
  expect(shown.on).toBe(true)
  expect(last()).toMatchObject({ title: 'Create a site: here it is', path: '/site/a1b2c3d4e5' })
  expect(shown.tours.map(({ steps }) => steps.length)).toEqual([13, 13])
  expect(seen).not.toHaveBeenCalled()
})

test.each([
  [0, 1],
  [12, 12],
])('after the site it goes on from step %i at step %i: not past its last one', (before, after) => {
  draw({ name: 'onboarding', step: before })
  expect(shown.tours[0]?.steps).toHaveLength(13)
  visit('/site/create')
  visit('/site/a1b2c3d4e5')
  expect(shown.tours.at(-1)?.tour.step).toBe(after)
})

test.each([
  ['Finish leads to the site made meanwhile', true, 'a1b2c3d4e5', '/site/a1b2c3d4e5'],
  ['Finish without such a site leaves people where they are', true, undefined, '/organization'],
  ['an end before Finish leaves them there, too', false, 'a1b2c3d4e5', '/organization'],
])('%s', (_, finished, site, path) => {
  now.session = owner(1)
  draw({ name: 'onboardingv2', step: 4, ...(site && { site }) }, '/organization')
  act(() => shown.over(finished))
  expect(hand.path).toBe(path)
  expect(seen).toHaveBeenCalledOnce()
})

test('makes room for the drawer of a job', () => {
  draw({ name: 'features', step: 1 }, '/site')
  visit('/site?job=j1')
  expect(shown.on).toBe(false)
  visit('/site')
  expect(shown.tours.at(-1)?.tour).toEqual({ name: 'features', step: 1 })
  visit('/site?job=j1')
  visit('/billing')
  expect(shown.on).toBe(false)
  expect(seen).toHaveBeenCalledOnce()
})

test('comes back to its step when the form is left, and does not lead there again', () => {
  draw({ name: 'onboardingv2', step: 2 })
  visit('/site/create')
  visit('/')
  expect(shown.tours.at(-1)?.tour).toEqual({ name: 'onboardingv2', step: 2 })
  expect(last()?.opensForm).toBeUndefined()
  visit('/site/create')
  expect(shown.on).toBe(false)
  expect(seen).not.toHaveBeenCalled()
})

test('is still held after a reload, also once the site is made', () => {
  draw({ name: 'onboarding', step: 3, held: 'form' }, '/site/create')
  expect(shown.tours).toEqual([])
  now.session = owner(1)
  visit('/site/a1b2c3d4e5?job=j1')
  expect(shown.tours).toEqual([])
  visit('/site/a1b2c3d4e5')
  expect(last()?.title).toBe('Create a site: here it is')
})

test.each([
  ['has sites', () => (now.session = owner(2))],
  ['has no server for one', () => (now.servers = 0)],
])('ends on the way to the form when the organization %s', (_, set) => {
  set()
  draw({ name: 'onboarding', step: 3 })
  expect(last()?.opensForm).toBeUndefined()
  visit('/site/create')
  expect(hand.path).toBe('/site/create')
  expect(seen).toHaveBeenCalledOnce()
})

test('says what is true by now: of a first server that arrived, and of a first site', () => {
  now.servers = 0
  const wish: TourWish = { name: 'onboarding', step: 3 }
  draw(wish, '/site')
  expect(last()?.opensForm).toBeUndefined()
  // Nothing else is rendered again.
  draw(wish, '/site')
  expect(shown.tours).toHaveLength(1)

  now.servers = 1
  draw(wish, '/site')
  expect(shown.tours).toHaveLength(2)
  expect(shown.on).toBe(true)
  expect(last()).toMatchObject({ name: 'create_site', opensForm: true })

  now.session = owner(1)
  draw(wish, '/site')
  expect(last()?.opensForm).toBeUndefined()
  expect(seen).not.toHaveBeenCalled()
})

test('is placed anew at its step when the window crosses a width', () => {
  const wish: TourWish = { name: 'features', step: 0 }
  draw(wish)
  now.at = 3
  now.width = 'phone'
  draw(wish)
  expect(shown.tours.map(({ tour }) => tour.step)).toEqual([0, 3])
  expect(shown.on).toBe(true)
  expect(seen).not.toHaveBeenCalled()
})

test('another tour takes the place of one that is held', () => {
  const first: TourWish = { name: 'onboarding', step: 3, held: 'form' }
  draw(first, '/site/create')
  draw({ name: 'features', step: 0 }, '/site/create')
  expect(seen).toHaveBeenCalledExactlyOnceWith(first)
  expect(shown.on).toBe(true)
})
