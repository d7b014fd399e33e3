import { act, useEffect, useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { codeOf } from './code.ts'
import { drawing } from './drawing.ts'
import { FileMissing } from './fetch-first.ts'
import { useOpenWithCode } from './open-code.ts'
import { clearToasts, useToasts } from './toasts.ts'

const screen = drawing()
const wishes: boolean[] = []
let toast: ReturnType<typeof useToasts>['current'] = null
beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  clearToasts()
  wishes.length = 0
})

/** A part of the app that comes once the network is back. */
function part() {
  const network = { back: false }
  const code = codeOf(
    async () => {
      if (!network.back) throw new FileMissing('panel.js was not answered.')
      return 'panel'
    },
    { ahead: false },
  )
  return { network, needs: [code] }
}

function Opening({ needs, kept }: { needs: ReturnType<typeof part>['needs']; kept: boolean }) {
  const [wanted, setWanted] = useState(true)
  const { current } = useToasts()
  useEffect(() => {
    toast = current
  }, [current])
  const ready = useOpenWithCode(needs, wanted, (next) => {
    wishes.push(next)
    if (!kept) setWanted(next)
  })
  return ready && wanted ? 'open' : 'closed'
}

async function press(): Promise<void> {
  await act(async () => toast?.action?.onClick?.())
}

test.each([
  ['is told off', false],
  ['stays wanted', true],
])('what %s while its code does not come opens by Retry once it does', async (_what, kept) => {
  const { network, needs } = part()
  await act(async () => screen.root.render(<Opening needs={needs} kept={kept} />))
  await vi.waitFor(() => expect(wishes).toEqual([false]))
  expect(screen.place.textContent).toBe('closed')
  await press()
  await vi.waitFor(() => expect(toast?.action).toBeDefined())
  expect(screen.place.textContent).toBe('closed')
  network.back = true
  await press()
  await vi.waitFor(() => expect(screen.place.textContent).toBe('open'))
})
