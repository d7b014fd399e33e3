import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { createMessageFormat } from '#shared/message-format.ts'
import { descriptorIn } from '#shared/localized-message.ts'
import { pseudoTranslator } from '#web/lib/i18n/pseudo-language.ts'
import { messageTranslator, type MessageTranslator } from '#web/lib/i18n/translate-message.ts'
import { ErrorPanel } from './error-panel.tsx'

const known = vi.hoisted(() => ({ translate: null as MessageTranslator | null }))
vi.mock('#web/lib/i18n/translation.ts', () => ({
  translator: null,
  get translateMessage() {
    return known.translate
  },
}))

const api = apiServer()
beforeEach(() => {
  known.translate = null
  const localized = {
    id: 'You can’t see {0}: {1}.',
    values: [{ id: 'the site {0}', values: ['blog'] }, { id: 'you are a member' }],
  }
  const message = { allowed: false, rule: 'x', text: 'You can’t see the site blog: you are a member.', localized }
  api.on('explain_permission', () => ({ message }))
})

const panel = (httpStatus: number, wanted?: { doctype: string; name: string }) => (
  <ErrorPanel title="No" error={new ApiError('Refused.', { httpStatus })} {...(wanted ? { wanted } : {})} />
)
const why = () => screen.queryByRole('button', { name: 'Why?' })
const pressWhy = () => userEvent.click(screen.getByRole('button', { name: 'Why?' }))

test('a refusal explains itself on request', async () => {
  render(panel(403, { doctype: 'Site', name: 'abc' }))
  await pressWhy()
  const said = await screen.findByText('You can’t see the site blog: you are a member.')
  expect(said.closest('[lang]')?.getAttribute('lang')).toBe('en')
  expect(api.calls).toMatchObject([
    { name: 'explain_permission', body: { operation: 'read', doctype: 'Site', name: 'abc' } },
  ])
  expect(why()).toBeNull()
})

test('in another language it explains itself in that', async () => {
  known.translate = messageTranslator({ translate: pseudoTranslator, descriptorIn, format: createMessageFormat('en') })
  const { container } = render(panel(403, { doctype: 'Site', name: 'abc' }))
  await pressWhy()
  await screen.findByText(/šíŧé/)
  const said = container.querySelector('[aria-live]')
  expect(said?.textContent).toMatch(/^\[Ýóú çáñ’ŧ šéé \[ŧħé šíŧé blog·+\]: \[ýóú ářé á ɱéɱƀéř·+\]\.·+\]$/)
  expect(said?.querySelector('[lang]')).toBeNull()
})

test('Retry says that it is at it, asks once, and can be pressed again', async () => {
  const asks: PromiseWithResolvers<void>[] = []
  const onRetry = vi.fn<() => Promise<void>>(() => {
    const one = Promise.withResolvers<void>()
    asks.push(one)
    return one.promise
  })
  render(<ErrorPanel title="No" error={new ApiError('Gone.')} onRetry={onRetry} />)
  const user = userEvent.setup()
  const retry = screen.getByRole('button', { name: 'Retry' })
  await user.click(retry)
  expect(retry.getAttribute('aria-busy')).toBe('true')
  await user.click(retry)
  expect(onRetry).toHaveBeenCalledTimes(1)
  await act(async () => asks[0]?.resolve())
  expect(retry.hasAttribute('aria-busy')).toBe(false)
  await user.click(retry)
  expect(onRetry).toHaveBeenCalledTimes(2)
})

test('nothing is offered for other failures, or where nothing is known to ask about', () => {
  const { rerender } = render(panel(404, { doctype: 'Site', name: 'abc' }))
  expect(why()).toBeNull()
  rerender(panel(403))
  expect(why()).toBeNull()
})
