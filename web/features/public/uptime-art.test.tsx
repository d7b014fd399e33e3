import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { UptimeArt } from './uptime-art.tsx'

test('nothing in the drawing can be taken for a real incident: no words, no colors of states', () => {
  const { container } = render(<UptimeArt />)
  expect(container.textContent).toBe('')
  expect(container.innerHTML).not.toMatch(/\b(?:fill|bg|text)-(?:m-)?(?:bad|warn|ok)\b/)
})
