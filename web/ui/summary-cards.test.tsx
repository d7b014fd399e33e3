import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { TooltipProvider } from './overlay/tooltip.tsx'
import { SummaryCards } from './summary-cards.tsx'

const items = [
  { label: 'Down', value: null },
  { label: 'Servers', value: 'On 1 server', detail: 'vm' },
]

describe('SummaryCards', () => {
  it('show placeholders while loading', () => {
    const { container } = render(<SummaryCards slim items={items} />)
    expect(container.querySelectorAll('.sk')).toHaveLength(1)
    expect(container.textContent).toContain('On 1 servervm')
  })

  it('show the exact time of a relative time', () => {
    const detail = { value: '2020-10-28 14:02:11.000000', format: (when: string) => `Checked ${when}` }
    for (const slim of [true, false]) {
      const { container, unmount } = render(
        <TooltipProvider>
          <SummaryCards slim={slim} items={[{ label: 'Status', value: 'Up', detail }]} />
        </TooltipProvider>,
      )
      const time = container.querySelector('time')
      expect(time?.dateTime).toBe('2020-10-28T14:02:11.000Z')
      expect(time?.textContent).toMatch(/^Checked \d+ years ago/)
      unmount()
    }
  })

  it('show an error for values that failed to load, and keep the others', () => {
    for (const slim of [true, false]) {
      const { container, unmount } = render(<SummaryCards slim={slim} failed items={items} />)
      expect(container.querySelectorAll('.sk')).toHaveLength(0)
      expect(container.textContent).toContain('Not loaded')
      expect(container.textContent).toContain('On 1 servervm')
      unmount()
    }
  })
})
