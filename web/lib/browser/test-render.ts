import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, vi } from 'vitest'

/** Render target of a component test. */
export interface TestRender {
  /** React root in `place`. */
  readonly root: Root
  /** An element of the page, empty at the start of each test. */
  readonly place: HTMLElement
}

/** For tests: a render target, created for each test and removed after it. */
export function testRender(): TestRender {
  let now: TestRender | null = null
  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
    const place = document.body.appendChild(document.createElement('div'))
    now = { root: createRoot(place), place }
  })
  afterEach(async () => {
    await act(async () => now?.root.unmount())
    now?.place.remove()
    now = null
    vi.unstubAllGlobals()
  })
  const present = (): TestRender => {
    if (!now) throw new Error('Only tests draw')
    return now
  }
  return {
    get root() {
      return present().root
    },
    get place() {
      return present().place
    },
  }
}

/** For tests: waits until `check` no longer throws, e.g. for responses or lazily loaded code. */
export async function eventually(check: () => void): Promise<void> {
  await vi.waitFor(
    async () => {
      // `check` runs outside `act`, where an exception would break the render.
      await act(async () => undefined)
      check()
    },
    { timeout: 10_000 },
  )
}
