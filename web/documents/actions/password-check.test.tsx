import { act, screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useEffect } from 'react'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ApiError } from '#web/lib/api/api-error.ts'
import { usePasswordCheck } from './password-check.tsx'

const method = 'easydash.api.account.confirm_password'
const passwordRequired = () => new ApiError('Confirm your password to go on.', { httpStatus: 403, field: 'password' })

const api = apiServer()
let checked: ReturnType<typeof usePasswordCheck>['checked']

function Screen() {
  const check = usePasswordCheck()
  useEffect(() => {
    checked = check.checked
  })
  return check.dialog
}

/** Starts work on a new screen and records its result. */
async function begin(work: () => Promise<string>) {
  const { user } = renderAs(owner, <Screen />)
  const result: { value?: string | null; error?: unknown } = {}
  await act(async () => {
    checked(work).then(
      (value) => (result.value = value),
      (error: unknown) => (result.error = error),
    )
    await Promise.resolve()
  })
  return { user, result }
}
/** The dialog's code loads when it opens. */
async function confirm(user: UserEvent, password: string): Promise<void> {
  await user.type(await screen.findByLabelText(/Password/), `${password}{Enter}`)
}
const dialog = () => screen.queryByRole('dialog')

test('an action that needs no password does not ask for one', async () => {
  expect((await begin(() => Promise.resolve('done'))).result).toEqual({ value: 'done' })
  expect(dialog()).toBeNull()
})

test('a denied action is retried once the password was confirmed', async () => {
  api.on(method, () => ({ message: { valid_seconds: 600 } }))
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(passwordRequired()).mockResolvedValue('done')
  const { user, result } = await begin(work)
  expect(await screen.findByRole('dialog', { name: 'Confirm your password' })).toBeTruthy()
  await confirm(user, 'correct horse')
  await waitFor(() => expect(result).toEqual({ value: 'done' }))
  expect(api.calls).toMatchObject([{ name: method, body: { password: 'correct horse' } }])
  expect(dialog()).toBeNull()
})

test('a wrong password keeps the dialog open, and the action is not run', async () => {
  api.on(method, () => ({ status: 417, body: { exception: 'This is not your password.', field: 'password' } }))
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(passwordRequired())
  const { user, result } = await begin(work)
  await confirm(user, 'wrong')
  expect(await screen.findByText('This is not your password.')).toBeTruthy()
  expect(dialog()).not.toBeNull()
  expect(work).toHaveBeenCalledTimes(1)
  expect(result).toEqual({})
})

test('canceling the dialog returns null', async () => {
  const { user, result } = await begin(() => Promise.reject(passwordRequired()))
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(result).toEqual({ value: null })
})

test('other errors are rethrown', async () => {
  const other = new ApiError('No.', { httpStatus: 403 })
  expect((await begin(() => Promise.reject(other))).result).toEqual({ error: other })
  expect(dialog()).toBeNull()
})
