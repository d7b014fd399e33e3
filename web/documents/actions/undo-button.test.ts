import { beforeEach, expect, test } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { renderHook } from '@testing-library/react'
import { takeBack, undoButton } from './undo-button.ts'

beforeEach(clearToasts)
const toasts = () =>
  renderHook(() => useToasts()).result.current.history.map(({ title, description, variant }) => [
    title,
    description,
    variant,
  ])

test('what is taken back says so, unless the screen or the change itself does', async () => {
  await takeBack({ undo: () => Promise.resolve(), done: 'They are as before' })
  await takeBack({ undo: () => Promise.resolve(true) })
  expect(toasts()).toEqual([['They are as before', undefined, 'success']])
})

test('what was changed since stays, and the reason is said', async () => {
  await takeBack({ undo: () => Promise.resolve(false), done: 'They are as before' })
  expect(toasts()).toEqual([['Nothing was undone, because it was changed since', undefined, 'info']])
})

test('a failure says what failed and why', async () => {
  const refused = new ApiError('You can no longer change it.', { code: 'forbidden', httpStatus: 403 })
  await takeBack({ undo: () => Promise.reject(refused), failed: 'The key was not put back' })
  await takeBack({ undo: () => Promise.reject(refused) })
  expect(toasts()).toEqual([
    ['Not undone', 'You can no longer change it.', 'danger'],
    ['The key was not put back', 'You can no longer change it.', 'danger'],
  ])
})

test('the button undoes, and the tray offers it only if it still works later', async () => {
  const undone = Promise.withResolvers<void>()
  const button = undoButton({ undo: async () => undone.resolve() })
  expect(button).toMatchObject({ label: 'Undo' })
  expect(button.lasting).toBeUndefined()
  expect(undoButton({ undo: () => undone.promise }, { lasting: true }).lasting).toBe(true)
  button.onClick?.()
  await undone.promise
})
