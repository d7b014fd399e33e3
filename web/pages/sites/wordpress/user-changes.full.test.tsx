import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { renameUser, setSuperAdmin } from './user-changes.ts'

const api = apiServer()
const reload = vi.fn<() => Promise<void>>(() => Promise.resolve())
beforeEach(() => {
  reload.mockClear()
  api.on('run_doc_method', () => ({ message: null }))
})
const undo = async ({ user }: ReturnType<typeof renderAs>) =>
  await user.click(await screen.findByRole('button', { name: 'Undo' }))

test('another username can be taken back, but not to one that nobody can choose', async () => {
  const page = renderAs(owner, <ToastArea />)
  await act(() => renameUser({ site: 's1', reload }, 'boss', 'chief'))
  expect(await screen.findByText('boss is called chief now')).toBeTruthy()
  await undo(page)
  await waitFor(() =>
    expect(api.calls.map(({ body }) => body['args'])).toEqual([
      { login: 'boss', new_login: 'chief' },
      { login: 'chief', new_login: 'boss' },
    ]),
  )
  expect(await screen.findByText('chief is called boss now')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  await act(() => renameUser({ site: 's1', reload }, 'The Boss', 'chief'))
  expect(await screen.findByText('The Boss is called chief now')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('a super admin is one no longer after Undo; a change that failed offers none', async () => {
  const calls: unknown[] = []
  let result: true | null = true
  const change = (async (...of: unknown[]) => {
    calls.push(of[1])
    return result
  }) as Parameters<typeof setSuperAdmin>[0]['wordpress']['change']
  const page = renderAs(owner, <ToastArea />)
  await act(() => setSuperAdmin({ wordpress: { change }, reload }, 'boss', true))
  await undo(page)
  expect(await screen.findByText('boss is no longer a super admin')).toBeTruthy()
  expect(calls).toEqual([
    { login: 'boss', enabled: 1 },
    { login: 'boss', enabled: 0 },
  ])
  result = null
  await act(() => setSuperAdmin({ wordpress: { change }, reload }, 'ann', true))
  expect(screen.queryByText('ann is a super admin now')).toBeNull()
})
