import { render, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { requestFields } from '#web/documents/list/list-rows-request.ts'
import { FieldValue } from '#web/documents/values/cells.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { siteColumns } from './site-columns.tsx'

afterEach(() => {
  delete window.easydash
})

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

const nameLine = (row: Record<string, unknown>) =>
  render(<TooltipProvider>{siteColumns(true)[0]?.render?.({ name: 's1', ...row })}</TooltipProvider>).container
    .textContent

test('below the name of a site with an older WordPress stands why it is old, without a tooltip', () => {
  window.easydash = { wordpress_version: '6.9.1' }
  expect(nameLine({ wordpress_version: '6.8' })).toBe('WordPress 6.8: update it to 6.9.1 on its WordPress tab')
  window.easydash = { wordpress_version: '6.8', wordpress_fallback: true }
  expect(nameLine({ wordpress_version: '6.8', engine: 'local' })).toContain(
    'WordPress 6.8 is not the newest: update it',
  )
})

test('nothing stands there if WordPress is the newest, or unknown, or the site has none', () => {
  window.easydash = { wordpress_version: '6.9.1' }
  for (const wordpress_version of ['6.9.1', 'trunk', null, undefined]) expect(nameLine({ wordpress_version })).toBe('')
})

test('a staging site is of a site by its title, else by its address', () => {
  const tag = (source: Record<string, unknown>) => nameLine({ staging_of: 's0', staging_of_title: 'shop', ...source })
  expect(tag({ staging_of_site_title: 'My shop' })).toBe('Staging of My shop')
  expect(tag({ staging_of_site_title: null })).toBe('Staging of shop')
  expect(requestFields(SiteDoctype, siteColumns(false))).toEqual(
    expect.arrayContaining(['staging_of.title as staging_of_site_title', 'staging_of.domain as staging_of_title']),
  )
})

test('the version is requested for that line even where its column is off', () => {
  const [name] = siteColumns(false)
  expect(name && requestFields(SiteDoctype, [name])).toContain('wordpress_version')
})

test('members do not request server locations, which they cannot read', () => {
  const requestsFlag = (privileged: boolean) =>
    requestFields(SiteDoctype, siteColumns(privileged)).some((field) => field.includes('vm_country'))
  expect([requestsFlag(true), requestsFlag(false)]).toEqual([true, false])
})

test.each([
  ['that failed', { status: 'Failed' }],
  ['that is down', { status: 'Live', health: 'Down' }],
])('the row of a site %s says why, since when, and when it last answered', (_which, state) => {
  const failure_reason = 'The page answered with status 500.'
  const text = nameLine({ ...state, failure_reason, failure_since: hoursAgo(6), last_answer_at: hoursAgo(7) })
  expect(text).toContain('The page answered with status 500.')
  expect(text).toMatch(/Since 6 hours ago.*Last contact 7 hours ago/)
  expect(nameLine({ status: 'Live', health: 'Up', failure_reason, failure_since: hoursAgo(6) })).toBe('')
  expect(requestFields(SiteDoctype, siteColumns(false))).toEqual(
    expect.arrayContaining(['failure_reason', 'failure_reason_i18n', 'failure_since', 'last_answer_at']),
  )
})

test('a site whose health was never checked says so, without a color', () => {
  const value = <FieldValue type={SiteDoctype} field="health" row={{ name: 's1', health: 'Not Checked' }} />
  const { container } = renderAs(owner, value)
  expect(container.textContent).toBe('Not checked')
  expect(container.querySelector('[data-tone]')?.getAttribute('data-tone')).toBe('none')
})

test('the checksum of a WordPress is a column that is off; other sites have none', () => {
  const column = siteColumns(false).find(({ field }) => field === 'wordpress_checksum')
  expect(column?.off).toBe(true)
  const cell = (site_type: 'wp' | 'php') =>
    renderAs(owner, column?.render?.({ name: 's1', site_type, wordpress_checksum: 'Not Checked' })).container
      .textContent
  expect([cell('wp'), cell('php')]).toEqual(['Not checked', '—'])
})
