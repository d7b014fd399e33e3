import { act } from 'react'
import { expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ShareButton } from './share-button.tsx'

const page = testRender()
const now = vi.hoisted(() => ({ gate: { shown: false } as object }))
vi.mock('#web/documents/actions/use-actions.ts', () => ({
  useActions: () => ((now.gate as ActionGate).shown ? [{ name: 'share', gate: now.gate }] : []),
}))
vi.mock('./share-dialog.tsx', () => ({ ShareDialog: () => <p>Who has access</p> }))
vi.mock('./hand-over-dialog.tsx', () => ({ HandOverDialog: () => null }))

const draw = (gate: ActionGate) => {
  now.gate = gate
  act(() =>
    page.root.render(
      <TooltipProvider>
        <ShareButton site={{ name: 's1' } as Site} />
      </TooltipProvider>,
    ),
  )
}
const button = () => page.place.querySelector('button')
const press = () => act(async () => button()?.click())

test('who may not share has no button', () => {
  draw({ shown: false })
  expect(button()).toBeNull()
})

test('while it cannot be done the button stays and does nothing, and what is open stays open', async () => {
  const held: ActionGate = { shown: true, enabled: false, reason: 'Offline' }
  draw(held)
  expect(button()?.getAttribute('aria-disabled')).toBe('true')
  await press()
  expect(page.place.textContent).not.toContain('Who has access')
  draw({ shown: true, enabled: true })
  await press()
  await vi.waitFor(() => expect(page.place.textContent).toContain('Who has access'))
  draw(held)
  expect(page.place.textContent).toContain('Who has access')
})
