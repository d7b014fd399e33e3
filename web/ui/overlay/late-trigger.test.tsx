import { act, fireEvent, render, screen } from '@testing-library/react'
import * as Radix from 'radix-ui/dropdown-menu'
import type { ReactElement } from 'react'
import { expect, it } from 'vitest'
import { laterModule } from '../later-module.tsx'
import { laterPart } from '../later-part.tsx'
import { LateTrigger } from './late-trigger.tsx'

function Layer({ trigger }: { trigger: ReactElement }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Content>
        <Radix.Item>Archive</Radix.Item>
      </Radix.Content>
    </Radix.Root>
  )
}

/** A button whose layer is here when `arrive` is called. */
function renderButton(): { button: HTMLElement; pressed: string[]; arrive: () => Promise<void> } {
  const code = Promise.withResolvers<{ Layer: typeof Layer }>()
  const Later = laterPart(
    laterModule(() => code.promise),
    (module) => module.Layer,
  )
  const pressed: string[] = []
  const trigger = (
    <button type="button" onKeyDown={({ key }) => pressed.push(key)}>
      Actions
    </button>
  )
  render(
    <LateTrigger trigger={trigger} attributes={{ 'aria-haspopup': 'menu', 'aria-expanded': false }}>
      {(carrier) => <Later trigger={carrier} />}
    </LateTrigger>,
  )
  return {
    button: screen.getByRole('button', { name: 'Actions', expanded: false }),
    pressed,
    arrive: () => act(async () => code.resolve({ Layer })),
  }
}

it('opens with what was pressed before its code was here, at the same element', async () => {
  const { button, pressed, arrive } = renderButton()
  act(() => button.focus())
  fireEvent.keyDown(button, { key: 'Enter' })
  expect(screen.queryByRole('menu')).toBeNull()
  await arrive()
  expect(screen.getByRole('menu')).toBeTruthy()
  expect(button.isConnected).toBe(true)
  expect(button.getAttribute('aria-expanded')).toBe('true')
  expect(button.id).toBe(screen.getByRole('menu').getAttribute('aria-labelledby'))
  expect(pressed).toEqual(['Enter'])
})

it('stays closed if it was only passed, and keeps the focus', async () => {
  const { button, arrive } = renderButton()
  act(() => button.focus())
  await arrive()
  expect(screen.queryByRole('menu')).toBeNull()
  expect(document.activeElement).toBe(button)
  fireEvent.keyDown(button, { key: 'Enter' })
  expect(document.activeElement?.textContent).toBe('Archive')
})
