import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { Switch } from './switch.tsx'

it('shows what was asked for while the change is under way, and then what became of it', async () => {
  const onChange = vi.fn()
  const shown = (checked: boolean, busy: boolean) => (
    <Switch label="Update automatically" checked={checked} busy={busy} onChange={onChange} />
  )
  const { rerender } = render(shown(false, false))
  const toggle = screen.getByRole<HTMLButtonElement>('switch', { name: 'Update automatically' })
  const isOn = (): boolean => toggle.getAttribute('aria-checked') === 'true'
  await userEvent.click(toggle)
  expect(onChange).toHaveBeenCalledWith(true)

  rerender(shown(false, true))
  expect(isOn()).toBe(true)
  expect(toggle.disabled).toBe(true)
  // The answer is here before the change counts as ended.
  rerender(shown(true, true))
  expect(isOn()).toBe(true)
  rerender(shown(true, false))
  expect(isOn()).toBe(true)

  await userEvent.click(toggle)
  rerender(shown(true, true))
  expect(isOn()).toBe(false)
  // It was refused.
  rerender(shown(true, false))
  expect(isOn()).toBe(true)
})
