import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { TooltipProvider } from './overlay/tooltip.tsx'
import { SummaryCards } from './summary-cards.tsx'

const page = testRender()

const items = [
  { question: 'Down', answer: null },
  { question: 'Servers', answer: 'On 1 server', detail: 'vm' },
]

describe('answers', () => {
  it('wait with bars while they load', () => {
    act(() => page.root.render(<SummaryCards slim items={items} />))
    expect(page.place.querySelectorAll('.sk')).toHaveLength(1)
    expect(page.place.textContent).toContain('On 1 servervm')
  })

  it('say the exact time of what they are about', () => {
    const detail = { value: '2020-10-28 14:02:11.000000', words: (when: string) => `Checked ${when}` }
    for (const slim of [true, false]) {
      act(() =>
        page.root.render(
          <TooltipProvider>
            <SummaryCards slim={slim} items={[{ question: 'Status', answer: 'Up', detail }]} />
          </TooltipProvider>,
        ),
      )
      const time = page.place.querySelector('time')
      expect(time?.dateTime).toBe('2020-10-28T14:02:11.000Z')
      expect(time?.textContent).toMatch(/^Checked \d+ years ago/)
    }
  })

  it('do not wait for ever: what did not load says so, the others stay', () => {
    for (const slim of [true, false]) {
      act(() => page.root.render(<SummaryCards slim={slim} failed items={items} />))
      expect(page.place.querySelectorAll('.sk')).toHaveLength(0)
      expect(page.place.textContent).toContain('Not loaded')
      expect(page.place.textContent).toContain('On 1 servervm')
    }
  })
})
