import { act, waitFor } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useLocation, useNavigate, type NavigateFunction } from 'react-router'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { dataClient, refetchAll } from '#web/lib/api/data-client.ts'
import { countKey } from '#web/lib/api/data-keys.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { loadTour, type TourRequest } from '#web/lib/session/tour-list.ts'
import type { TourStep } from './tour-steps.ts'
import { Tours } from './tours.tsx'

const api = apiServer()
const now = vi.hoisted(() => ({ servers: 1, at: 0 }))
/** Mock of the rendering, which needs the layout of a browser: the started tours, and whether the last one is on screen. */
const shown = vi.hoisted(() => ({
  tours: [] as { tour: TourRequest; steps: readonly TourStep[] }[],
  on: false,
  /** Path that the next tour navigates to at once; null for none. */
  first: null as string | null,
  /** Ends the last tour, finished or closed. */
  over: (_finished: boolean): void => undefined,
}))
vi.mock('./tour-run.ts', () => ({
  runTour: (
    tour: TourRequest,
    steps: readonly TourStep[],
    { go, onEnd }: { go: (path: string) => unknown; onEnd: (finished: boolean) => void },
  ) => {
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
    if (shown.first !== null) void go(shown.first)
    return {
      end: () => over(false),
      hold: () => {
        off()
        return now.at
      },
      focusBeside: () => null,
    }
  },
}))

/** Widths at which the layout changes, and the listeners of each media query. */
let width = 1440
const queries = new Set<() => void>()
function resize(next: number): void {
  width = next
  act(() => queries.forEach((changed) => changed()))
}

const screens = ['/', '/site', '/site/create', '/server/:server', '/organization', '/user', '/billing']
const onSeen = vi.fn(() => Promise.resolve())

const withSites = (sites: number): Session => ({
  ...owner,
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
})

/** Current path and navigate function. */
const navigation: { go: NavigateFunction | null; path: string } = { go: null, path: '' }
function NavigateHandle() {
  const go = useNavigate()
  const path = useLocation().pathname
  useEffect(() => {
    Object.assign(navigation, { go, path })
  })
  return null
}
const app = (tour: TourRequest) => (
  <>
    <Tours tour={tour} screens={screens} onSeen={onSeen} />
    <NavigateHandle />
  </>
)
/** Renders a tour at a path; it begins as soon as the servers are counted. */
async function setup(tour: TourRequest, start = '/', session = withSites(0)): Promise<Rendered> {
  const drawn = renderAs(session, app(tour), start)
  await settled()
  return drawn
}
/** Waits for the responses to all requests so far. */
async function settled(): Promise<void> {
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  await act(async () => undefined)
}
const visit = (to: string) => act(() => void navigation.go?.(to))
const last = () => {
  const { tour, steps } = shown.tours.at(-1) ?? {}
  return steps?.[tour?.step ?? -1]
}

beforeEach(() => {
  sessionStorage.clear()
  vi.clearAllMocks()
  Object.assign(shown, { tours: [], on: false })
  now.servers = 1
  width = 1440
  vi.stubGlobal('matchMedia', (query: string) => ({
    get matches() {
      return width >= Number(/min-width: (\d+)px/.exec(query)?.[1])
    },
    addEventListener: (_type: string, changed: () => void) => queries.add(changed),
    removeEventListener: (_type: string, changed: () => void) => queries.delete(changed),
  }))
  api.on('frappe.client.get_count', () => ({ message: now.servers }))
})
afterEach(() => vi.unstubAllGlobals())

test('waits for the form and the job of the first site, then shows that site', async () => {
  const { changeSession } = await setup({ name: 'onboarding', step: 1 })
  expect(last()).toMatchObject({ name: 'create_site', opensForm: true })
  visit('/site/create')
  expect(shown.on).toBe(false)
  expect(loadTour()).toEqual({ name: 'onboarding', step: 1, held: 'form' })

  await changeSession(withSites(1))
  visit('/site/a1b2c3d4e5?job=j1')
  expect(shown.on).toBe(false)
  expect(loadTour()).toEqual({ name: 'onboarding', step: 1, held: 'form', site: 'a1b2c3d4e5' })
  visit('/site/a1b2c3d4e5')
  expect(shown.on).toBe(true)
  expect(last()).toMatchObject({ title: 'Create a site: here it is', path: '/site/a1b2c3d4e5' })
  expect(shown.tours.map(({ steps }) => steps.length)).toEqual([6, 6])
  expect(onSeen).not.toHaveBeenCalled()
})

test.each([
  [0, 1],
  [5, 5],
])('after the site it continues from step %i at step %i, never past its last one', async (before, after) => {
  await setup({ name: 'onboarding', step: before })
  expect(shown.tours[0]?.steps).toHaveLength(6)
  visit('/site/create')
  visit('/site/a1b2c3d4e5')
  expect(shown.tours.at(-1)?.tour.step).toBe(after)
})

test.each([
  ['Finish leads to the site made meanwhile', true, 'a1b2c3d4e5', '/site/a1b2c3d4e5'],
  ['Finish without such a site leaves people where they are', true, undefined, '/organization'],
  ['an end before Finish leaves them there, too', false, 'a1b2c3d4e5', '/organization'],
])('%s', async (_, finished, site, path) => {
  await setup({ name: 'onboardingv2', step: 4, ...(site && { site }) }, '/organization', withSites(1))
  act(() => shown.over(finished))
  expect(navigation.path).toBe(path)
  expect(onSeen).toHaveBeenCalledOnce()
})

test('hides while a job drawer is open', async () => {
  await setup({ name: 'features', step: 1 }, '/site')
  visit('/site?job=j1')
  expect(shown.on).toBe(false)
  visit('/site')
  expect(shown.tours.at(-1)?.tour).toEqual({ name: 'features', step: 1 })
  visit('/site?job=j1')
  visit('/billing')
  expect(shown.on).toBe(false)
  expect(onSeen).toHaveBeenCalledOnce()
})

test('returns to its step after the user leaves the form, and does not open the form again', async () => {
  await setup({ name: 'onboardingv2', step: 2 })
  visit('/site/create')
  visit('/')
  expect(shown.tours.at(-1)?.tour).toEqual({ name: 'onboardingv2', step: 2 })
  expect(last()?.opensForm).toBeUndefined()
  visit('/site/create')
  expect(shown.on).toBe(false)
  expect(onSeen).not.toHaveBeenCalled()
})

test('stays paused after a reload, even once the site is created', async () => {
  const { changeSession } = await setup({ name: 'onboarding', step: 1, held: 'form' }, '/site/create')
  expect(shown.tours).toEqual([])
  await changeSession(withSites(1))
  visit('/site/a1b2c3d4e5?job=j1')
  expect(shown.tours).toEqual([])
  visit('/site/a1b2c3d4e5')
  expect(last()?.title).toBe('Create a site: here it is')
})

test.each([
  ['has sites', 2, 1],
  ['has no server for one', 0, 0],
])('ends on the way to the form when the organization %s', async (_, sites, servers) => {
  now.servers = servers
  await setup({ name: 'onboarding', step: 1 }, '/', withSites(sites))
  expect(last()?.opensForm).toBeUndefined()
  visit('/site/create')
  expect(navigation.path).toBe('/site/create')
  expect(onSeen).toHaveBeenCalledOnce()
})

test('updates its steps when the first server or the first site appears', async () => {
  now.servers = 0
  const request: TourRequest = { name: 'onboarding', step: 1 }
  const { rerender, changeSession } = await setup(request, '/site')
  expect(last()?.opensForm).toBeUndefined()
  // Nothing else is rendered again.
  rerender(app(request))
  expect(shown.tours).toHaveLength(1)

  now.servers = 1
  await act(() => refetchAll(countKey('Server')))
  await settled()
  expect(shown.tours).toHaveLength(2)
  expect(shown.on).toBe(true)
  expect(last()).toMatchObject({ name: 'create_site', opensForm: true })

  await changeSession(withSites(1))
  expect(last()?.opensForm).toBeUndefined()
  expect(onSeen).not.toHaveBeenCalled()
})

test('shows the same step again when the window crosses a breakpoint', async () => {
  const request: TourRequest = { name: 'features', step: 0 }
  await setup(request)
  now.at = 3
  resize(375)
  expect(shown.tours.map(({ tour }) => tour.step)).toEqual([0, 3])
  expect(shown.on).toBe(true)
  expect(onSeen).not.toHaveBeenCalled()
})

test('the tour of features shows the graphs of the first server', async () => {
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Server' ? [{ name: 'v1' }] : [] }))
  const session = { ...withSites(1), modules: { ee: true, wpc: false } }
  await setup({ name: 'features', step: 3 }, '/', session)
  expect(last()).toMatchObject({ name: 'job_drawer' })
  expect(shown.tours.at(-1)?.steps[4]).toMatchObject({ name: 'server_graphs', path: '/server/v1#graphs' })
})

test('starting another tour ends a paused one', async () => {
  const first: TourRequest = { name: 'onboarding', step: 1, held: 'form' }
  const { rerender } = await setup(first, '/site/create')
  rerender(app({ name: 'features', step: 0 }))
  expect(onSeen).toHaveBeenCalledExactlyOnceWith(first)
  expect(shown.on).toBe(true)
})

test.each(['/site', '/site?status=x', '/site#x'])(
  'is not ended by its own first step, which leads to %s',
  async (to) => {
    shown.first = to
    await setup({ name: 'features', step: 0 }, '/billing')
    shown.first = null
    expect(navigation.path).toBe('/site')
    expect(shown.on).toBe(true)
    expect(onSeen).not.toHaveBeenCalled()
  },
)
