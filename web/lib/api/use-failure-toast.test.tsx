import { render } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { clearToasts, useToasts } from '../browser/toasts.ts'
import { useFailureToast } from './use-failure-toast.ts'

beforeEach(clearToasts)

function Panel({ error }: { error: Error | null }) {
  useFailureToast('Error Fetching Server', error)
  return useToasts().history.map(({ id, title, description, variant }) => (
    <i key={id}>{`${variant}: ${title}: ${description}`}</i>
  ))
}

test('each failure is reported once under its title, even while it is retried', () => {
  const { container, rerender } = render(<Panel error={null} />)
  const toastsFor = (error: Error | null): string[] => {
    rerender(<Panel error={error} />)
    return [...container.querySelectorAll('i')].map((one) => one.textContent)
  }
  const first = 'danger: Error Fetching Server: Too many requests'
  expect(toastsFor(null)).toEqual([])
  expect(toastsFor(new Error('Too many requests'))).toEqual([first])
  expect(toastsFor(new Error('Too many requests'))).toEqual([first])
  expect(toastsFor(null)).toEqual([first])
  expect(toastsFor(new Error('Too many requests'))).toEqual([first, first])
  expect(toastsFor(new Error('Away'))).toEqual(['danger: Error Fetching Server: Away', first, first])
})
