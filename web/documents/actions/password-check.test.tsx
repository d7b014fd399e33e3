import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { eventually } from '#web/lib/browser/test-render.ts'
import { usePasswordCheck } from './password-check.tsx'

const refusal = () => new ApiError('Confirm your password to go on.', { httpStatus: 403, field: 'password' })

let host: HTMLElement
let root: Root
let checked: ReturnType<typeof usePasswordCheck>['checked']
const sent: unknown[] = []
let right = true

function Screen() {
  const check = usePasswordCheck()
  useEffect(() => {
    checked = check.checked
  })
  return check.dialog
}

beforeEach(() => {
  ;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true
  sent.length = 0
  right = true
  vi.stubGlobal('fetch', (_url: string, options: { body: string }) => {
    sent.push(JSON.parse(options.body))
    return Promise.resolve(
      right
        ? Response.json({ message: { valid_seconds: 600 } })
        : Response.json({ exception: 'This is not your password.', field: 'password' }, { status: 417 }),
    )
  })
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
  act(() => root.render(<Screen />))
})
afterEach(() => {
  act(() => root.unmount())
  host.remove()
  vi.unstubAllGlobals()
})

const dialog = () => document.querySelector('[role=dialog]')
/** The dialog's code loads when it opens. */
const opened = () => eventually(() => expect(dialog()).not.toBeNull())
async function type(password: string) {
  const input = document.querySelector<HTMLInputElement>('[name=password]')
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, password)
    input?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await act(async () => {
    document.querySelector<HTMLFormElement>('#password-check')?.requestSubmit()
  })
}
/** Starts work and records its result. */
async function begin(work: () => Promise<string>) {
  const result: { value?: string | null; error?: unknown } = {}
  await act(async () => {
    checked(work).then(
      (value) => (result.value = value),
      (error: unknown) => (result.error = error),
    )
    await Promise.resolve()
  })
  return result
}

test('work that needs no password asks nothing', async () => {
  expect(await begin(() => Promise.resolve('done'))).toEqual({ value: 'done' })
  expect(dialog()).toBeNull()
})

test('refused work is done again once the password was confirmed', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(refusal()).mockResolvedValue('done')
  const result = await begin(work)
  await opened()
  expect(dialog()?.textContent).toContain('Confirm your password')
  await type('correct horse')
  expect(sent).toEqual([{ password: 'correct horse' }])
  expect(result).toEqual({ value: 'done' })
  expect(dialog()).toBeNull()
})

test('a wrong password stays in the dialog, and nothing is done', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValue(refusal())
  const result = await begin(work)
  await opened()
  right = false
  await type('wrong')
  expect(dialog()?.textContent).toContain('This is not your password.')
  expect(work).toHaveBeenCalledTimes(1)
  expect(result).toEqual({})
})

test('giving up comes to null; another refusal is thrown', async () => {
  const result = await begin(() => Promise.reject(refusal()))
  await opened()
  await act(async () => {
    ;[...document.querySelectorAll('button')].find((button) => button.textContent === 'Cancel')?.click()
  })
  expect(result).toEqual({ value: null })
  const other = new ApiError('No.', { httpStatus: 403 })
  expect(await begin(() => Promise.reject(other))).toEqual({ error: other })
})
