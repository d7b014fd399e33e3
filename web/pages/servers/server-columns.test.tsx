import { act } from 'react'
import { expect, test } from 'vitest'
import { serverListFields, ServerDoctype } from '#shared/doctypes/server.ts'
import { requestFields } from '#web/documents/list/list-columns.ts'
import { valueLabel } from '#web/documents/list/list-query.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { serverColumns } from './server-columns.tsx'

const page = testRender()

test('under who runs a server stands where it is, with the flag', async () => {
  await act(async () => void (await import('#web/ui/images/flag-addresses.ts')))
  const column = serverColumns(true, null).find(({ field }) => field === 'cloud_provider')
  const row = { name: 'v1', engine: 'ee', cloud_provider: 'Hetzner', vm_region: 'fsn1', vm_country: 'DE' }
  await act(async () => page.root.render(<p>{column?.render?.(row)}</p>))
  expect(page.place.textContent).toBe('Hetznerfsn1, Germany')
  expect(page.place.querySelector('img')?.getAttribute('src')).toMatch(/DE\.svg/)
})

test('members ask for nothing about places, which they may not read', () => {
  expect(serverListFields).not.toContain('vm_country')
  const asked = requestFields(ServerDoctype, serverColumns(false, null))
  expect(asked.filter((field) => field.startsWith('vm_'))).toEqual([])
})

test('the provider of this machine has the word of filters and widgets; below stands where it is', async () => {
  const column = serverColumns(true, null).find(({ field }) => field === 'cloud_provider')
  const row = { name: 'v1', engine: 'local', cloud_provider: 'Custom', vm_region: null, vm_country: null }
  await act(async () => page.root.render(<p>{column?.render?.(row)}</p>))
  expect([...(page.place.firstElementChild?.childNodes ?? [])].map(({ textContent }) => textContent)).toEqual([
    valueLabel(ServerDoctype, 'cloud_provider', 'Custom'),
    'This machine',
  ])
})
