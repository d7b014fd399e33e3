import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { useApiForm } from './use-api-form.ts'

const page = testRender()

interface Values {
  title: string
  slug: string
}

function Screen({ send, fallback }: { send: (values: Values) => Promise<unknown>; fallback?: 'slug' }) {
  const form = useApiForm<Values>({
    defaultValues: { title: '', slug: '' },
    ...(fallback && { fallbackField: fallback }),
    send,
  })
  return (
    <form {...form.props}>
      {form.failure && <p role="alert">{form.failure}</p>}
      <Field label="Slug" error={form.errorOf('slug')}>
        <Input {...form.register('slug')} />
      </Field>
      <Field label="Title" error={form.errorOf('title')}>
        <Input {...form.register('title', { validate: (title) => title !== '' || 'Enter a title.' })} />
      </Field>
      <Button type="submit" busy={form.busy}>
        Save
      </Button>
    </form>
  )
}

/** Renders the form with a server whose next answer the test gives. */
async function draw(fallback?: 'slug') {
  const pending: PromiseWithResolvers<void>[] = []
  const send = vi.fn<(values: Values) => Promise<unknown>>(() => {
    const answer = Promise.withResolvers<void>()
    pending.push(answer)
    return answer.promise
  })
  await act(async () => page.root.render(<Screen send={send} {...(fallback && { fallback })} />))
  const fail = (error: ApiError) => act(async () => pending.at(-1)?.reject(error))
  const succeed = () => act(async () => pending.at(-1)?.resolve())
  return { send, fail, succeed }
}
function input(name: string): HTMLInputElement {
  const found = page.place.querySelector<HTMLInputElement>(`input[name=${name}]`)
  if (!found) throw new Error(`no field ${name}`)
  return found
}
function type(name: string, text: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input(name), text)
    input(name).dispatchEvent(new Event('input', { bubbles: true }))
  })
}
const submit = () => act(async () => page.place.querySelector('form')?.requestSubmit())
const isBusy = () => page.place.querySelector('button')?.getAttribute('aria-busy') === 'true'
const alerts = () => [...page.place.querySelectorAll('[role=alert]')].map((alert) => alert.textContent)

test('an invalid field is not sent; its error describes it and it gets the focus', async () => {
  const { send } = await draw()
  await submit()
  expect(send).not.toHaveBeenCalled()
  expect(alerts()).toEqual(['Enter a title.'])
  expect(input('title').getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(input('title').getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Enter a title.',
  )
  expect(document.activeElement).toBe(input('title'))
})

test('two presses send once, and the button is busy until the answer', async () => {
  const { send, succeed } = await draw()
  type('title', 'Acme')
  act(() => {
    page.place.querySelector('form')?.requestSubmit()
    page.place.querySelector('form')?.requestSubmit()
  })
  await submit()
  expect(send.mock.calls).toEqual([[{ title: 'Acme', slug: '' }]])
  expect(isBusy()).toBe(true)
  await succeed()
  expect(isBusy()).toBe(false)
  await submit()
  expect(send).toHaveBeenCalledTimes(2)
})

test('an error of the server is shown at its field; what was typed stays and can be sent again', async () => {
  const { send, fail } = await draw()
  type('title', 'Acme')
  type('slug', 'acme')
  await submit()
  await fail(new ApiError('This slug is taken.', { httpStatus: 417, field: 'slug' }))
  expect(alerts()).toEqual(['This slug is taken.'])
  expect(document.activeElement).toBe(input('slug'))
  expect([input('title').value, input('slug').value]).toEqual(['Acme', 'acme'])
  await submit()
  expect(alerts()).toEqual([])
  expect(send).toHaveBeenCalledTimes(2)
})

test('an error of no field is told above the form, and the focus stays', async () => {
  const { fail } = await draw()
  type('title', 'Acme')
  input('title').focus()
  await submit()
  await fail(new ApiError('The server is busy', { httpStatus: 503, nextAction: 'Try again later.' }))
  expect(alerts()).toEqual(['The server is busy. Try again later.'])
  expect(page.place.querySelector('[aria-invalid]')).toBeNull()
  expect(document.activeElement).toBe(input('title'))
})

test('with a fallback field it is shown there', async () => {
  const { fail } = await draw('slug')
  type('title', 'Acme')
  await submit()
  await fail(new ApiError('No.', { httpStatus: 403, field: 'something_else' }))
  expect(alerts()).toEqual(['No.'])
  expect(document.activeElement).toBe(input('slug'))
})
