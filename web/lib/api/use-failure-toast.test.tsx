import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearToasts, useToasts } from '../browser/toasts.ts'
import { useFailureToast } from './use-failure-toast.ts'

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  clearToasts()
})
afterEach(() => vi.unstubAllGlobals())

function Panel({ error }: { error: Error | null }) {
  useFailureToast('Error Fetching Server', error)
  return useToasts().history.map(({ id, title, description, variant }) => (
    <i key={id}>{`${variant}: ${title}: ${description}`}</i>
  ))
}

test('each failure is told once under its title, also while it is tried again', () => {
  const place = document.createElement('div')
  const root = createRoot(place)
  const told = (error: Error | null): string[] => {
    act(() => root.render(<Panel error={error} />))
    return [...place.querySelectorAll('i')].map((one) => one.textContent)
  }
  const first = 'danger: Error Fetching Server: Too many requests'
  expect(told(null)).toEqual([])
  expect(told(new Error('Too many requests'))).toEqual([first])
  expect(told(new Error('Too many requests'))).toEqual([first])
  expect(told(null)).toEqual([first])
  expect(told(new Error('Too many requests'))).toEqual([first, first])
  expect(told(new Error('Away'))).toEqual(['danger: Error Fetching Server: Away', first, first])
  act(() => root.unmount())
})
