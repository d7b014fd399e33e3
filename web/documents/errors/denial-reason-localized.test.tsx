import '#tests/web/pseudo-language.ts'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { DenialReason } from './denial-reason.tsx'

const api = apiServer()

test('the explanation of a denial is shown in the user’s language', async () => {
  const text_i18n = {
    id: 'You can’t see {0}: {1}.',
    values: [{ id: 'the site {0}', values: ['blog'] }, { id: 'you are a member' }],
  }
  const text = 'You can’t see the site blog: you are a member.'
  api.on('explain_permission', () => ({ message: { allowed: false, rule: 'x', text, text_i18n } }))
  const { container } = render(
    <DenialReason error={new ApiError('Refused.', { httpStatus: 403 })} doctype="Site" name="abc" />,
  )
  await userEvent.click(screen.getByRole('button', { name: /Ŵħý\?/ }))
  await screen.findByText(/šíŧé/)
  const explanation = container.querySelector('[aria-live]')
  expect(explanation?.textContent).toMatch(/^\[Ýóú çáñ’ŧ šéé \[ŧħé šíŧé blog·+\]: \[ýóú ářé á ɱéɱƀéř·+\]\.·+\]$/)
  expect(explanation?.querySelector('[lang]')).toBeNull()
})
