import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, vi } from 'vitest'

/** Where a test of components draws. */
export interface TestRender {
  /** React's root in `place`. */
  readonly root: Root
  /** An element of the page, empty when a test begins. */
  readonly place: HTMLElement
}

/** For tests: a place to draw into, new for each test of the file and gone after it. */
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

/** For tests: waits until `check` no longer throws, for what answers or code bring that come later. */
export async function eventually(check: () => void): Promise<void> {
  await vi.waitFor(
    async () => {
      // Not within: what a check throws there takes the drawing along.
      await act(async () => undefined)
      check()
    },
    { timeout: 10_000 },
  )
}
