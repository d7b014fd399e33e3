import { act } from 'react'
import { expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { requestFields } from '#web/documents/list/list-columns.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { siteColumns } from './site-columns.tsx'

const page = testRender()

async function drawServer(row: Record<string, unknown>): Promise<void> {
  const column = siteColumns(true).find(({ field }) => field === 'server')
  await act(async () => page.root.render(<p>{column?.render?.({ name: 's1', ...row })}</p>))
}

test('a site’s server stands beside the flag of its country', async () => {
  await act(async () => void (await import('#web/ui/images/flag-addresses.ts')))
  await drawServer({ server: 'v1', server_title: 'web-1', server_country: 'DE' })
  expect(page.place.textContent).toBe('web-1')
  expect(page.place.querySelector('[title="Germany"] img')?.getAttribute('src')).toMatch(/DE\.svg/)
})

test('without a country there is no flag', async () => {
  await drawServer({ server: 'v1', server_title: 'This machine', server_country: null })
  expect(page.place.textContent).toBe('This machine')
  expect(page.place.querySelector('img')).toBeNull()
})

test('members do not ask where servers stand, which they may not read', () => {
  const asks = (privileged: boolean) =>
    requestFields(SiteDoctype, siteColumns(privileged)).some((field) => field.includes('vm_country'))
  expect([asks(true), asks(false)]).toEqual([true, false])
})
