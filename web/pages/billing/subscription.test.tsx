import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { signedOut } from '#web/lib/session/session.tsx'
import { useSubscription } from './subscription.ts'

const page = testRender()
const { useMethod } = vi.hoisted(() => ({
  useMethod: vi.fn((_method: string, _params: object, _config: object) => ({
    data: undefined,
    error: null,
    reload: () => undefined,
  })),
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({ useMethod, useDoc: () => ({ data: undefined }) }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({ ...signedOut, organization: { name: 'acme' }, refreshSubscription: () => Promise.resolve() }),
}))

function Plan() {
  return <output>{useSubscription().status?.plan_name ?? 'nothing'}</output>
}

test('the plan is asked for under its name, and not again when the window comes to the front', () => {
  act(() => page.root.render(<Plan />))
  expect(useMethod).toHaveBeenCalledWith(
    expect.stringMatching(/\.get_subscription_status$/),
    {},
    { revalidateOnFocus: false },
  )
})
