import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'
import { Input } from './input.tsx'
import { useApiForm } from './use-api-form.ts'

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

/** Renders the form with a server whose next response the test gives. */
function setup(fallback?: 'slug') {
  const pending: PromiseWithResolvers<void>[] = []
  const send = vi.fn<(values: Values) => Promise<unknown>>(() => {
    const response = Promise.withResolvers<void>()
    pending.push(response)
    return response.promise
  })
  render(<Screen send={send} {...(fallback && { fallback })} />)
  const fail = (error: ApiError) => act(async () => pending.at(-1)?.reject(error))
  const succeed = () => act(async () => pending.at(-1)?.resolve())
  return { send, fail, succeed }
}
const input = (label: 'Title' | 'Slug') => screen.getByLabelText<HTMLInputElement>(label)
const type = (label: 'Title' | 'Slug', text: string) => userEvent.type(input(label), text)
/** Sends the form as Enter in a field does, which leaves the focus there. */
const submit = () => act(async () => input('Title').form?.requestSubmit())
const isBusy = () => screen.getByRole('button').getAttribute('aria-busy') === 'true'
const alerts = () => screen.queryAllByRole('alert').map((alert) => alert.textContent)

test('an invalid field is not sent; it is described by its error and focused', async () => {
  const { send } = setup()
  await submit()
  expect(send).not.toHaveBeenCalled()
  expect(alerts()).toEqual(['Enter a title.'])
  expect(input('Title').getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(input('Title').getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Enter a title.',
  )
  expect(document.activeElement).toBe(input('Title'))
})

test('a double click sends once, and the button is busy until the response', async () => {
  const { send, succeed } = setup()
  await type('Title', 'Acme')
  act(() => {
    input('Title').form?.requestSubmit()
    input('Title').form?.requestSubmit()
  })
  await submit()
  expect(send.mock.calls).toEqual([[{ title: 'Acme', slug: '' }]])
  expect(isBusy()).toBe(true)
  await succeed()
  expect(isBusy()).toBe(false)
  await submit()
  expect(send).toHaveBeenCalledTimes(2)
})

test('a server error is shown at its field; the input is kept and can be sent again', async () => {
  const { send, fail } = setup()
  await type('Title', 'Acme')
  await type('Slug', 'acme')
  await submit()
  await fail(new ApiError('This slug is taken.', { httpStatus: 417, field: 'slug' }))
  expect(alerts()).toEqual(['This slug is taken.'])
  expect(document.activeElement).toBe(input('Slug'))
  expect([input('Title').value, input('Slug').value]).toEqual(['Acme', 'acme'])
  await submit()
  expect(alerts()).toEqual([])
  expect(send).toHaveBeenCalledTimes(2)
})

test('an error without a field is shown above the form, and the focus stays', async () => {
  const { fail } = setup()
  await type('Title', 'Acme')
  expect(document.activeElement).toBe(input('Title'))
  await submit()
  await fail(new ApiError('The server is busy', { httpStatus: 503, nextAction: 'Try again later.' }))
  expect(alerts()).toEqual(['The server is busy. Try again later.'])
  for (const label of ['Title', 'Slug'] as const) expect(input(label).hasAttribute('aria-invalid')).toBe(false)
  expect(document.activeElement).toBe(input('Title'))
})

test('an error without a field is shown at the fallback field, if there is one', async () => {
  const { fail } = setup('slug')
  await type('Title', 'Acme')
  await submit()
  await fail(new ApiError('No.', { httpStatus: 403, field: 'something_else' }))
  expect(alerts()).toEqual(['No.'])
  expect(document.activeElement).toBe(input('Slug'))
})
