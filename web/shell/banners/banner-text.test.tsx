import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { BannerText } from './banner-text.tsx'

const page = testRender()

const session = vi.hoisted(() => ({ owner: false }))
vi.mock('#web/lib/session/session.tsx', () => ({
  useSession: () => ({ organization: { owner: session.owner }, subscription: { user: 'ada@acme.example' } }),
}))
vi.mock('#web/documents/people.ts', () => ({ usePeople: () => () => 'Ada Berg' }))

function draw(owner: boolean): string {
  session.owner = owner
  act(() =>
    page.root.render(
      <MemoryRouter>
        <BannerText banner={{ kind: 'cancelled', date: '2026-12-31' }} />
      </MemoryRouter>,
    ),
  )
  return page.place.textContent ?? ''
}

test('the owner reactivates a cancelled plan, in the fixed words', () => {
  expect(draw(true)).toMatch(/^Plan Expiring Soon: .+ Changed your mind\? Reactivate$/)
  expect(page.place.querySelector('a')?.getAttribute('href')).toMatch(/\/billing#plans$/)
})

test('everybody else is told who can', () => {
  expect(draw(false)).toMatch(/^Plan Expiring Soon: .+ Ask Ada Berg to reactivate it\.$/)
  expect(page.place.querySelector('a')).toBeNull()
})
