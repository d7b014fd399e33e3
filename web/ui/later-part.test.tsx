import { act, cleanup, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Suspense, useEffect } from 'react'
import { laterComponent, laterModule } from './later-module.tsx'
import { laterPart } from './later-part.tsx'

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

test('a component that is here is drawn without a placeholder, and stays the same when others come', async () => {
  let mounts = 0
  const module = laterModule(async () => ({
    Counted: () => {
      useEffect(() => void (mounts += 1), [])
      return <p>here</p>
    },
  }))
  const Counted = laterComponent(module, (one) => one.Counted)
  const fallbacks: string[] = []
  const Fallback = () => {
    fallbacks.push('wait')
    return <p>wait</p>
  }
  const tree = (
    <Suspense fallback={<Fallback />}>
      <Counted />
    </Suspense>
  )
  const early = render(tree)
  expect(screen.getByText('wait')).toBeTruthy()
  await act(async () => undefined)
  early.rerender(<Suspense fallback={<Fallback />}>{<Counted />}</Suspense>)
  expect([screen.getByText('here').textContent, mounts]).toEqual(['here', 1])
  early.unmount()
  fallbacks.length = 0
  render(tree)
  expect([screen.getByText('here').textContent, fallbacks]).toEqual(['here', []])
  cleanup()
})
