import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { Time } from './time.tsx'
import { TooltipProvider } from './overlay/tooltip.tsx'

const value = '2026-10-28 14:02:11.000000'
const exact = formatAbsolute(value)

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-10-31T14:02:11Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const shown = () => document.querySelector('time')

test('in rows it is no tab stop and says the exact time under the pointer', () => {
  render(<Time value={value} />)
  expect(shown()?.textContent).toBe('3 days ago')
  expect(shown()?.title).toBe(exact)
  expect(shown()?.hasAttribute('tabindex')).toBe(false)
})

test('a sentence about it has the exact time as well', () => {
  render(<Time value={value} words={(when) => `Checked ${when}`} />)
  expect(shown()?.textContent).toBe('Checked 3 days ago')
  expect(shown()?.title).toBe(exact)
})

test('as a fact the exact time stands there', () => {
  render(<Time place="fact" value={value} />)
  expect(shown()?.textContent).toBe(`${exact} (3 days ago)`)
})

test('alone the keyboard gets at the exact time', () => {
  render(
    <TooltipProvider>
      <Time place="alone" value={value} />
    </TooltipProvider>,
  )
  expect(screen.queryByRole('tooltip')).toBeNull()
  const time = shown()
  // This DOM doesn't distinguish keyboard focus (:focus-visible).
  if (time) vi.spyOn(time, 'matches').mockReturnValue(true)
  act(() => {
    time?.focus()
  })
  act(() => {
    vi.advanceTimersByTime(0)
  })
  expect(screen.getByRole('tooltip').textContent).toBe(exact)
})
