import { act, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { RevealableValue } from './revealable-value.tsx'

const api = apiServer()
const server = {
  doctype: 'Server',
  name: 'srv1',
  owner: 'owner@acme.example',
  creation: '2026-11-21 14:00:00.000000',
  modified: '2026-11-21 14:00:00.000000',
  modified_by: 'owner@acme.example',
  docstatus: 0 as const,
  idx: 0,
  status: 'Healthy',
  randomised_http_auth: '*****',
  default_site_password: null,
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }))
afterEach(() => vi.useRealTimers())

const password = () => screen.getByRole('group', { name: 'HTTP auth password' })

test('the value is shown after a password check, and hidden again after 30 seconds', async () => {
  let checked = false
  api.on('run_doc_method', () =>
    checked
      ? { message: { value: 'CORRECT-HORSE' } }
      : { status: 403, body: { exception: 'Confirm your password to go on.', field: 'password' } },
  )
  api.on('easydash.api.account.confirm_password', ({ body }) => {
    checked = body['password'] === 'secret'
    return { message: { valid_seconds: 600 } }
  })
  const { user } = renderAs(owner, <RevealableValue type={ServerDoctype} doc={server} field="randomised_http_auth" />)
  expect(password().textContent).toContain('••••')
  await user.click(screen.getByRole('button', { name: 'Reveal HTTP auth password' }))
  await user.type(await screen.findByLabelText(/Password/), 'secret')
  await user.keyboard('{Enter}')
  expect(await within(password()).findByText('CORRECT-HORSE')).toBeTruthy()
  expect(api.calls.at(-1)?.body).toMatchObject({ dt: 'Server', dn: 'srv1', method: 'reveal' })

  await act(() => vi.advanceTimersByTimeAsync(29_000))
  expect(screen.queryByText('CORRECT-HORSE')).not.toBeNull()
  await act(() => vi.advanceTimersByTimeAsync(2000))
  expect(screen.queryByText('CORRECT-HORSE')).toBeNull()
})

test('the value is dropped when the page shows another document', async () => {
  api.on('run_doc_method', () => ({ message: { value: 'CORRECT-HORSE' } }))
  function Page() {
    const [name, setName] = useState('srv1')
    return (
      <>
        <RevealableValue type={ServerDoctype} doc={{ ...server, name }} field="randomised_http_auth" />
        <button onClick={() => setName('srv2')}>Next</button>
      </>
    )
  }
  const { user } = renderAs(owner, <Page />)
  await user.click(screen.getByRole('button', { name: 'Reveal HTTP auth password' }))
  expect(await screen.findByText('CORRECT-HORSE')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(screen.queryByText('CORRECT-HORSE')).toBeNull()
})

test('it can be hidden, and is requested again when shown again', async () => {
  api.on('run_doc_method', () => ({ message: { value: 'CORRECT-HORSE' } }))
  const { user } = renderAs(owner, <RevealableValue type={ServerDoctype} doc={server} field="randomised_http_auth" />)
  await user.click(screen.getByRole('button', { name: 'Reveal HTTP auth password' }))
  await user.click(await screen.findByRole('button', { name: 'Hide HTTP auth password' }))
  expect(screen.queryByText('CORRECT-HORSE')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Reveal HTTP auth password' }))
  expect(await screen.findByText('CORRECT-HORSE')).toBeTruthy()
  expect(api.calls).toHaveLength(2)
})

test('without permission there is no button, and nothing is shown for an unset value', () => {
  const member = {
    ...owner,
    organization: { name: 'acme', title: 'Acme', role: 'Organization User' as const, owner: false },
  }
  renderAs(
    member,
    <>
      <RevealableValue type={ServerDoctype} doc={server} field="randomised_http_auth" />
      <RevealableValue type={ServerDoctype} doc={server} field="default_site_password" />
    </>,
  )
  expect(screen.queryByRole('button')).toBeNull()
  expect(screen.queryByRole('group', { name: 'Site password' })).toBeNull()
})
