import { render, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { serverLocation } from './server-location.tsx'

const setup = (server: Parameters<typeof serverLocation>[0]) => render(<div>{serverLocation(server)}</div>).container

test('a server’s location is its region and country, with a flag', async () => {
  const shown = setup({ vm_region: 'fsn1', vm_country: 'DE' })
  expect(shown.textContent).toBe('fsn1, Germany')
  await waitFor(() => expect(shown.querySelector('img')?.getAttribute('src')).toMatch(/DE\.svg/))
  const flag = shown.querySelector('img')
  // The name is next to it.
  expect(flag?.getAttribute('alt')).toBe('')
})

test('unknown values are omitted', () => {
  const shown = setup({ vm_region: 'lab', vm_country: null })
  expect(shown.textContent).toBe('lab')
  expect(shown.querySelector('img')).toBeNull()
  expect(setup({ vm_region: null, vm_country: 'qq' }).textContent).toBe('QQ')
  expect(serverLocation({ vm_region: null, vm_country: null })).toBeNull()
})
