import { render, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import '#tests/web/timeouts.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { requestFields } from '#web/documents/list/list-columns.ts'
import { siteColumns } from './site-columns.tsx'

function renderServer(row: Record<string, unknown>): HTMLElement {
  const column = siteColumns(true).find(({ field }) => field === 'server')
  return render(<p>{column?.render?.({ name: 's1', ...row })}</p>).container
}

test('a site’s server is shown beside its country’s flag', async () => {
  const shown = renderServer({ server: 'v1', server_title: 'web-1', server_country: 'DE' })
  expect(shown.textContent).toBe('web-1')
  await waitFor(() => expect(shown.querySelector('[title="Germany"] img')?.getAttribute('src')).toMatch(/DE\.svg/))
})

test('without a country there is no flag', () => {
  const shown = renderServer({ server: 'v1', server_title: 'This machine', server_country: null })
  expect(shown.textContent).toBe('This machine')
  expect(shown.querySelector('img')).toBeNull()
})

test('members do not request server locations, which they cannot read', () => {
  const requestsFlag = (privileged: boolean) =>
    requestFields(SiteDoctype, siteColumns(privileged)).some((field) => field.includes('vm_country'))
  expect([requestsFlag(true), requestsFlag(false)]).toEqual([true, false])
})
