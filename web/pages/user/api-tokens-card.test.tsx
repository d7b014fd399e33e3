import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { signedOut } from '#web/lib/session/session.tsx'
import { ApiTokensCard } from './api-tokens-card.tsx'

const page = testRender()
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({
    ...signedOut,
    organization: { name: 'acme', title: 'Acme', role: 'Organization User', owner: false },
  }),
}))
const token = {
  name: 't1',
  title: 'Backup script',
  role: 'Organization User',
  scopes: ['sites:read', 'files:read'],
  expires: null,
  last_used: null,
  last_ip: null,
  api_key: 'abc',
  creation: '2026-01-01 00:00:00.000000',
}
vi.mock('#web/lib/api/frappe.tsx', () => ({ useList: () => ({ data: [token], error: null }) }))

test('what a token may is said to everybody, not under the pointer alone', () => {
  act(() => page.root.render(<ApiTokensCard user="ann@acme.example" />))
  expect(page.place.querySelector('summary')?.textContent).toBe('2 scopes')
  expect([...page.place.querySelectorAll('details li')].map((line) => line.textContent)).toEqual([
    expect.stringMatching(/^sites:read \w+/),
    expect.stringMatching(/^files:read Open files/),
  ])
  expect(page.place.querySelector('li [title*=":"]')).toBeNull()
})
