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

test('in a row it is not a tab stop and shows the exact time on hover', () => {
  render(<Time value={value} />)
  expect(shown()?.textContent).toBe('3 days ago')
  expect(shown()?.title).toBe(exact)
  expect(shown()?.hasAttribute('tabindex')).toBe(false)
})

test('within a sentence it shows the exact time on hover, too', () => {
  render(<Time value={value} format={(when) => `Checked ${when}`} />)
  expect(shown()?.textContent).toBe('Checked 3 days ago')
  expect(shown()?.title).toBe(exact)
})

test('as a detail it shows the exact time next to the relative one', () => {
  render(<Time variant="detail" value={value} />)
  expect(shown()?.textContent).toBe(`${exact} (3 days ago)`)
})

test('on its own the exact time is available to the keyboard', () => {
  render(
    <TooltipProvider>
      <Time variant="standalone" value={value} />
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
