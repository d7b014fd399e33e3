import { act, cleanup, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { laterPart } from './later-part.tsx'

test('a part is rendered at once when its code is here, so that it can take the focus', async () => {
  const Part = laterPart(
    async () =>
      ({ name }: { name: string }) => <p>{name}</p>,
    <p>wait</p>,
  )
  render(<Part name="first" />)
  expect(screen.getByText('wait')).toBeTruthy()
  await act(async () => undefined)
  expect(screen.getByText('first')).toBeTruthy()
  cleanup()
  render(<Part name="second" />)
  expect(screen.getByText('second')).toBeTruthy()
})
