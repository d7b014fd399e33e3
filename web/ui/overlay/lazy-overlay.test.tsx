import { render, screen } from '@testing-library/react'
import { lazy } from 'react'
import { expect, test, vi } from 'vitest'
import { LazyOverlay } from './lazy-overlay.tsx'

test('an overlay’s code is loaded when it first opens, and the overlay stays mounted after it closes', async () => {
  const load = vi.fn(async () => ({ default: ({ open }: { open: boolean }) => <p>{open ? 'Open' : 'Closed'}</p> }))
  const Overlay = lazy(load)
  const overlay = (open: boolean) => (
    <LazyOverlay open={open}>
      <Overlay open={open} />
    </LazyOverlay>
  )
  const { rerender, container } = render(overlay(false))
  expect(load).not.toHaveBeenCalled()
  expect(container.textContent).toBe('')
  rerender(overlay(true))
  expect(await screen.findByText('Open')).toBeTruthy()
  rerender(overlay(false))
  expect(screen.getByText('Closed')).toBeTruthy()
  rerender(overlay(true))
  expect(screen.getByText('Open')).toBeTruthy()
  expect(load).toHaveBeenCalledTimes(1)
})
