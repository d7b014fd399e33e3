import { act, cleanup, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { laterModule, laterPart } from './later-part.tsx'

const Named = ({ name }: { name: string }) => <p>{name}</p>

test('a part is rendered when its code is here', async () => {
  const Part = laterPart(
    laterModule(async () => ({ Named })),
    (module) => module.Named,
    <p>wait</p>,
  )
  render(<Part name="first" />)
  expect(screen.getByText('wait')).toBeTruthy()
  await act(async () => undefined)
  expect(screen.getByText('first')).toBeTruthy()
  cleanup()
})

test('a part that was loaded in advance is rendered at once, so that it can take the focus', async () => {
  const module = laterModule(async () => ({ Named }))
  const Part = laterPart(module, (one) => one.Named, <p>wait</p>)
  await module.load()
  render(<Part name="first" />)
  expect(screen.getByText('first')).toBeTruthy()
  cleanup()
})
