import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { SuggestInput, type Suggestion } from './suggest-input.tsx'

const picked = vi.fn<(suggestion: Suggestion) => void>()

const box = () => screen.getByRole('combobox')
/** Whether the browser still does what the key means in a text field. */
const belongsToInput = (key: string): boolean => fireEvent.keyDown(box(), { key })
const selected = () => screen.queryByRole('option', { selected: true })?.textContent ?? null

test('suggestions are only selected by arrow keys; Enter, Home and End belong to the input', async () => {
  render(
    <SuggestInput
      value="a"
      onValue={() => undefined}
      listLabel="People"
      suggestions={[
        { id: 'ada', label: 'ada', disabled: true },
        { id: 'ann', label: 'ann' },
      ]}
      onPick={picked}
    />,
  )
  const user = userEvent.setup()
  await user.tab()
  expect(screen.getAllByRole('option')).toHaveLength(2)
  expect(selected()).toBeNull()
  expect(['Home', 'End', 'Enter'].map(belongsToInput)).toEqual([true, true, true])
  await user.keyboard('{ArrowDown}')
  expect(selected()).toBe('ann')
  expect(document.activeElement).toBe(box())
  expect(belongsToInput('Enter')).toBe(false)
  expect(picked.mock.calls.map(([{ id }]) => id)).toEqual(['ann'])
})
