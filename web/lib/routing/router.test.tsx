import { act, createEvent, fireEvent, render, screen } from '@testing-library/react'
import { StrictMode, useEffect, useState, type ReactNode } from 'react'
import { MemoryRouter, useHref, useLocation, useNavigate, type NavigateFunction } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppRouter, createAppRouter, Link, Navigate, useSearchParams } from './router.tsx'

let router: ReturnType<typeof createAppRouter>
beforeEach(() => {
  history.replaceState(null, '', '/web/site?page=2#list')
  router = createAppRouter('/web')
})
afterEach(() => router.dispose())

let go: NavigateFunction
/** Shows the app's current location. */
function CurrentPath() {
  const { pathname, search, hash, state } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    go = navigate
  }, [navigate])
  return <output>{`${pathname} ${search} ${hash} ${JSON.stringify(state)}`}</output>
}
const here = () => screen.getByRole('status').textContent
const inRouter = (children: ReactNode) => (
  <StrictMode>
    <AppRouter router={router}>
      <CurrentPath />
      {children}
    </AppRouter>
  </StrictMode>
)
const setup = (children: ReactNode) => render(inRouter(children))
const link = () => screen.getByRole('link')
const browser = () => location.pathname + location.search + location.hash

test.each([
  ['/server', '/server'],
  ['/server?a=1#b', '/server?a=1#b'],
  ['?a=1', '/site?a=1'],
  ['#tab', '/site#tab'],
  ['', '/site'],
  ['/a?b#c?d', '/a?b#c?d'],
  ['?', '/site'],
  [{ hash: 'tab' }, '/site#tab'],
  [{ search: 'a=1', hash: '#tab' }, '/site?a=1#tab'],
  [{ search: '', hash: '' }, '/site'],
  [{ pathname: '/user/a%40b.c' }, '/user/a%40b.c'],
])('%j navigates to %s', async (to, expected) => {
  setup(null)
  await act(async () => go(to))
  expect(browser()).toBe(`/web${expected}`)
})

test('the URL is read and written below the app’s base path', async () => {
  setup(null)
  expect(here()).toBe('/site ?page=2 #list null')
  await act(async () => go('/'))
  expect(browser()).toBe('/web')
  expect(here()).toBe('/   null')
  await act(async () => go('/login?next=%2F', { replace: true, state: { reason: 'x' } }))
  expect(browser()).toBe('/web/login?next=%2F')
  expect(here()).toBe('/login ?next=%2F  {"reason":"x"}')
})

test('history entries are numbered, and going back restores the previous one', async () => {
  setup(null)
  expect(history.state).toMatchObject({ idx: 0 })
  const before = history.length
  await act(async () => go('/server'))
  expect(history.state).toMatchObject({ idx: 1 })
  await act(async () => go('/server/a', { replace: true }))
  expect(history.state).toMatchObject({ idx: 1 })
  expect(history.length - before).toBe(1)
  // What the browser does on "back".
  await act(async () => {
    history.replaceState({ usr: { from: 'here' }, key: 'k', idx: 0 }, '', '/web/site')
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  })
  expect(here()).toBe('/site   {"from":"here"}')
})

const click = async (init: MouseEventInit = {}) => {
  const event = createEvent.click(link(), { button: 0, ...init })
  // Prevents native navigation, which the test environment doesn't support.
  document.addEventListener('click', (late) => late.defaultPrevented || late.preventDefault(), { once: true })
  let ours = false
  document.body.addEventListener('click', () => (ours = event.defaultPrevented), { once: true })
  await act(async () => void fireEvent(link(), event))
  return ours
}

test('a link is a native link that the app follows', async () => {
  setup(<Link to="/server?x=1">Servers</Link>)
  expect(link().getAttribute('href')).toBe('/web/server?x=1')
  await click()
  expect(here()).toBe('/server ?x=1  null')
  const steps = history.length
  await click()
  expect(history.length).toBe(steps)
})

test.each([{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, { button: 1 }])(
  '%j leaves a click on a link to the browser',
  async (init) => {
    setup(<Link to="/server">Servers</Link>)
    expect(await click(init)).toBe(false)
    expect(here()).toContain('/site ')
  },
)

test('links with a target, downloads and external links are left to the browser', async () => {
  const { rerender } = setup(null)
  for (const one of [
    <Link key="a" to="/server" target="_blank">
      Servers
    </Link>,
    <Link key="b" to="/server" download>
      Servers
    </Link>,
    <Link key="c" to="https://wordpress.org/">
      Elsewhere
    </Link>,
    <Link key="d" to="//wordpress.org/">
      Elsewhere
    </Link>,
  ]) {
    rerender(inRouter(one))
    expect(await click()).toBe(false)
    expect(here()).toContain('/site ')
  }
  expect(link().getAttribute('href')).toBe('//wordpress.org/')
})

test.each(['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,<p>', 'vbscript:x', 'blob:x'])(
  '%s URLs are not treated as external links',
  async (to) => {
    setup(<Link to={to}>Click me</Link>)
    expect(link().getAttribute('href')).toBe(`/web/${to}`)
    await click()
    expect(decodeURI(browser())).toBe(`/web/${to}`)
  },
)

test('a link’s own click handler runs first and can prevent navigation', async () => {
  setup(
    <Link to="/server" onClick={(event) => event.preventDefault()}>
      Servers
    </Link>,
  )
  await click()
  expect(here()).toContain('/site ')
})

test('a redirect happens once, however often it renders', async () => {
  const replaced = vi.spyOn(history, 'replaceState')
  let again = (): void => undefined
  function Redirect() {
    const [count, setCount] = useState(0)
    useEffect(() => {
      again = () => setCount(count + 1)
    }, [count])
    return <Navigate replace to="/login" state={{ reason: 'signed out' }} />
  }
  setup(<Redirect />)
  const calls = replaced.mock.calls.length
  await act(async () => again())
  expect(replaced.mock.calls.length).toBe(calls)
  expect(here()).toBe('/login   {"reason":"signed out"}')
  replaced.mockRestore()
})

test('the query string is read and updated from its current value', async () => {
  let set: ReturnType<typeof useSearchParams>[1] | null = null
  function Search() {
    const [params, setParams] = useSearchParams()
    useEffect(() => {
      set = setParams
    }, [setParams])
    return <b>{params.get('page')}</b>
  }
  const { container } = setup(<Search />)
  expect(container.querySelector('b')?.textContent).toBe('2')
  const add = (name: string) => (now: URLSearchParams) => new URLSearchParams([...now, [name, '1']])
  await act(async () => {
    set?.(add('a'), { replace: true })
    set?.(add('b'), { replace: true })
  })
  expect(location.search).toBe('?page=2&a=1&b=1')
  expect(location.hash, 'the open tab stays').toBe('#list')
})

test('an in-memory history goes back and forward', async () => {
  function Address() {
    return <i>{useHref('#x')}</i>
  }
  const { container } = render(
    <MemoryRouter initialEntries={['/invitation?token=t']}>
      <CurrentPath />
      <Address />
    </MemoryRouter>,
  )
  expect(here()).toBe('/invitation ?token=t  null')
  await act(async () => go('/login'))
  await act(async () => go(-1))
  expect(here()).toBe('/invitation ?token=t  null')
  expect(container.querySelector('i')?.textContent).toBe('/invitation#x')
  await act(async () => go(1))
  expect(here()).toContain('/login')
  expect(location.pathname).toBe('/web/site')
})

test('the redirect of a screen that was already left is ignored', async () => {
  let leave: (away: boolean) => void = () => undefined
  function Gate() {
    const [closed, setClosed] = useState(false)
    useEffect(() => {
      leave = setClosed
    }, [])
    const { pathname } = useLocation()
    return closed && pathname === '/site' ? <Navigate to="/full" replace /> : null
  }
  setup(<Gate />)
  // The URL changes immediately, rendering follows. In between, the old screen is notified that it is closed.
  await act(async () => {
    void go('/site/new')
    leave(true)
  })
  expect([here(), browser()]).toEqual(['/site/new   null', '/web/site/new'])
  await act(async () => go('/site'))
  expect(browser()).toBe('/web/full')
})
