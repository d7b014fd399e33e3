import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { renderAs } from '#tests/web/screen.tsx'
import { signedOut } from '#web/lib/session/session.tsx'
import { loginPath } from './pending-login.ts'
import { SsoCallbackPage } from './sso-callback-page.tsx'
import { SsoPage, SsoStartPage } from './sso-page.tsx'

const api = apiServer()
const finished = () => api.calls.filter(({ name }) => name.endsWith('.finish'))
const begun = { attempt: 'of this tab', key: 'abcd2345', next: '/site' }
const comeBack = (reply: Reply, pending: unknown = begun) => {
  api.on('easydash.api.login_provider.finish', () => reply)
  if (pending !== null) sessionStorage.setItem('easydash-login', JSON.stringify(pending))
  return renderAs(signedOut, <SsoCallbackPage />, '/sso/callback?code=a&state=b')
}
afterEach(() => {
  sessionStorage.clear()
  localStorage.clear()
  delete window.easydash
  vi.restoreAllMocks()
})

test.each([
  ['https://dash.example/web/sso/abcd2345', '/sso/abcd2345'],
  [' ABCD2345/ ', '/sso/abcd2345'],
  ['dash.example/web/sso/abcd2345?', '/sso/abcd2345'],
  [' / ', null],
  ['', null],
])('the typed login address %j leads to %j', (typed, path) => {
  expect(loginPath(typed)).toBe(path)
})

test('asks for the login address, and says what is missing', async () => {
  const { user } = renderAs(signedOut, <SsoPage />, '/sso')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByText('Enter the login address of your organization.')).toBeTruthy()
})

test('who types an email gets the address by email', async () => {
  window.easydash = { mail_server: true }
  api.on('easydash.api.login_provider.mail_address', () => ({ message: null }))
  const { user } = renderAs(signedOut, <SsoPage />, '/sso')
  const field = screen.getByLabelText(/^Login address or email/)
  await user.type(field, 'ann@acme')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(field.getAttribute('aria-invalid')).toBe('true')
  await user.type(field, '.example')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByText(/^If ann@acme.example can log in/)).toBeTruthy()
  expect(api.calls.filter(({ name }) => name.endsWith('.mail_address'))).toHaveLength(1)
})

test('a login address is called wrong only by an answer that says so', async () => {
  const answers: Reply[] = [
    { status: 503, body: { exception: 'The database is away.' } },
    { message: { host: 'login.example' } },
  ]
  api.on('easydash.api.login_provider.show', () => answers.shift() ?? 'none')
  const { user, unmount } = renderAs(signedOut, <SsoStartPage />, '/sso/abcd2345')
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Continue at login.example' })).toBeTruthy()
  unmount()
  answers.push({ status: 404, body: { exception: 'Nobody logs in at this address.' } })
  renderAs(signedOut, <SsoStartPage />, '/sso/other')
  expect(await screen.findByRole('heading', { name: 'This login address does not work' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Enter another login address' })).toBeTruthy()
})

test.each([
  ['https://login.example/authorize?state=a', true],
  ['javascript:alert(1)', false],
  ['/web/site', false],
])('leads to a provider by https only: %s', async (url, follows) => {
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  api.on('easydash.api.login_provider.show', () => ({ message: { host: 'login.example' } }))
  api.on('easydash.api.login_provider.start', () => ({ message: { url, attempt: 'a' } }))
  const { user } = renderAs(signedOut, <SsoStartPage />, '/sso/abcd2345')
  await user.click(await screen.findByRole('button', { name: 'Continue at login.example' }))
  if (!follows) await screen.findByText(/^Something other than the server answered/)
  await vi.waitFor(() => expect(assign.mock.calls).toEqual(follows ? [[url]] : []))
})

test('the code that took too long, and the way back, lead to the same login address', async () => {
  const { user } = comeBack({ message: null, tmp_id: 'Abcd1234' } as Reply)
  api.on('login', () => ({
    status: 401,
    body: { exc_type: 'AuthenticationError', exception: 'Login session expired, refresh page to retry' },
  }))
  await user.type(await screen.findByLabelText(/^Code/), '123456')
  await user.click(screen.getByRole('button', { name: 'Log in' }))
  expect((await screen.findByRole('alert')).textContent).toContain('That took too long. Log in again.')
  expect(screen.getByRole('link', { name: 'Start again' }).getAttribute('href')).toBe('/sso/abcd2345')
})

test('what a tab started is finished once, with the whole answer, and leads to the page that was asked for', async () => {
  const replace = vi.spyOn(location, 'replace').mockImplementation(() => undefined)
  const { unmount } = comeBack({ message: 'Logged In' })
  await vi.waitFor(() => expect(replace).toHaveBeenCalledWith('/web/site'))
  expect(finished().map(({ body }) => body)).toEqual([{ query: 'code=a&state=b', attempt: 'of this tab' }])
  expect(sessionStorage.length).toBe(0)
  unmount()
  renderAs(signedOut, <SsoPage />, '/sso')
  expect(screen.getByLabelText<HTMLInputElement>(/Login address/).value).toMatch(/\/web\/sso\/abcd2345$/)
})

test.each([
  ['without a login of this tab', null],
  ['with something else in the storage', 'nonsense'],
])('an answer %s is not sent', async (_what, pending) => {
  comeBack({ message: 'Logged In' }, pending)
  expect(await screen.findByRole('heading', { name: 'You are not logged in' })).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('was not started in this browser tab')
  expect(finished()).toEqual([])
})

test('a refusal says why and what to do, and begins again at the same address', async () => {
  comeBack({ status: 403, body: { exc_type: 'PermissionError', exception: 'No member has this address.' } })
  expect(await screen.findByRole('alert')).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('No member has this address.')
  expect(screen.getByRole('link', { name: 'Start again' }).getAttribute('href')).toBe('/sso/abcd2345')
  expect(screen.getByRole('link', { name: 'Log in with your password' }).getAttribute('href')).toBe('/login')
})
