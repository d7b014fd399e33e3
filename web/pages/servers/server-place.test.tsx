import { act } from 'react'
import { expect, test } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { serverPlace } from './server-place.tsx'

const page = testRender()
const draw = (server: Parameters<typeof serverPlace>[0]) =>
  act(async () => page.root.render(<div>{serverPlace(server)}</div>))

test('a server stands in a region of a country, beside its flag', async () => {
  await draw({ vm_region: 'fsn1', vm_country: 'DE' })
  await act(async () => void (await import('#web/ui/images/flag-addresses.ts')))
  expect(page.place.textContent).toBe('fsn1, Germany')
  const flag = page.place.querySelector('img')
  expect(flag?.getAttribute('src')).toMatch(/DE\.svg/)
  // The name is next to it.
  expect(flag?.getAttribute('alt')).toBe('')
})

test('what is not known is left out', async () => {
  await draw({ vm_region: 'lab', vm_country: null })
  expect(page.place.textContent).toBe('lab')
  expect(page.place.querySelector('img')).toBeNull()
  await draw({ vm_region: null, vm_country: 'qq' })
  expect(page.place.textContent).toBe('QQ')
  expect(serverPlace({ vm_region: null, vm_country: null })).toBeNull()
})
