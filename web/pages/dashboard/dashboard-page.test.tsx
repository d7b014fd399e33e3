import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { siteAttention } from '#shared/rules/site-attention.ts'
import { apiServer, type Call } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DashboardPage } from './dashboard-page.tsx'

const api = apiServer()

/** Two providers, an archived site among them; one site is down. */
const sites: Record<string, unknown>[] = [
  {
    name: 'blog',
    status: 'Live',
    health: 'Down',
    cloud_provider: 'Custom',
    site_type: 'wp',
    php_version: '8.4',
    wordpress_checksum: 'Verified',
    backup_proof: 'Failed',
  },
  {
    name: 'shop',
    status: 'Live',
    health: 'Up',
    cloud_provider: 'Hetzner',
    site_type: 'php',
    php_version: '8.3',
    wordpress_checksum: 'Not Checked',
    backup_proof: 'Proven',
  },
  {
    name: 'news',
    status: 'Suspended',
    suspended_at: sampleTime,
    health: 'Up',
    cloud_provider: 'Hetzner',
    site_type: 'wp',
    php_version: '8.4',
  },
  { name: 'old', status: 'Archived', health: 'Up', cloud_provider: 'Hetzner', site_type: 'wp', php_version: '8.4' },
].map((site) => ({
  wordpress_checksum: 'Not Checked',
  ...site,
  domain: site.name,
  modified: sampleTime,
  creation: sampleTime,
  favorite: 0,
}))

type Filter = readonly [field: string, operator: string, value: unknown]
const fits = (row: Record<string, unknown>, [field, operator, value]: Filter): boolean => {
  if (operator === 'is') return (row[field] !== undefined) === (value === 'set')
  const has = Array.isArray(value) ? value.includes(row[field]) : row[field] === value
  return operator === '!=' || operator === 'not in' ? !has : has
}

/** The sites that a request asks for; there is nothing else. */
function asked({ body }: Call): Record<string, unknown>[] {
  const filters = (body['filters'] ?? []) as readonly Filter[]
  const any = (body['or_filters'] ?? []) as readonly Filter[]
  const found = body['doctype'] === 'Site' ? sites.filter((site) => filters.every((filter) => fits(site, filter))) : []
  return any.length === 0 ? found : found.filter((site) => any.some((filter) => fits(site, filter)))
}

let page: Rendered
beforeEach(() => {
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('frappe.client.get_count', (call) => ({ message: asked(call).length }))
  api.on('frappe.client.get_list', (call) => {
    const field = call.body['group_by']
    if (typeof field !== 'string') return { message: asked(call) }
    const groups = Map.groupBy(asked(call), (site) => site[field])
    return { message: [...groups].map(([value, { length }]) => ({ [field]: value, n: length })) }
  })
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  page = renderAs(
    owner,
    <TooltipProvider>
      <DashboardPage />
    </TooltipProvider>,
  )
})

/** The head and the bars of a chart. */
async function chart(name: string): Promise<(string | null)[]> {
  const card = within(await screen.findByRole('region', { name }))
  const bars = card.getAllByRole('link').map(({ textContent }) => textContent)
  return [card.getAllByText(/^\d+$/)[0]?.textContent ?? null, ...bars]
}

test('the charts of sites count the same sites: those in use', async () => {
  expect(await chart('Sites by provider')).toEqual(['3', 'Hetzner2', 'Custom1'])
  expect(await chart('Sites by status')).toEqual(['3', 'Live2', 'Suspended1'])
  expect(await chart('Site type')).toEqual(['3', 'WordPress2', 'PHP1'])
  // Only WordPress has files that are verified.
  expect(await chart('Checksum')).toEqual(['2', 'Not checked1', 'Verified1'])
})

test('says nothing twice: totals are in the cards at the top, and what they count is below', async () => {
  await chart('Sites by status')
  const said = ['1 site is down', '3 sites', '1 in the archive', 'No running jobs', 'blog is down', 'news is suspended']
  await Promise.all(said.map((text) => screen.findAllByText(text)))
  await screen.findByRole('heading', { name: 'Latest sites' })
  const times = (text: string) => screen.getAllByText(text).length
  expect(said.filter((text) => times(text) > 1)).toEqual([])
  const headings = screen.getAllByRole('heading').map(({ textContent }) => textContent)
  expect(headings).toEqual([...new Set(headings)])
})

test('the card counts what the list of sites that need attention has', async () => {
  expect(await within(await screen.findByText('Needs attention')).findByText('2')).toBeTruthy()
  const counted = api.calls.flatMap(({ body }) => [body, ...((body['queries'] ?? []) as Record<string, unknown>[])])
  expect(counted.some(({ or_filters }) => JSON.stringify(or_filters) === JSON.stringify(siteAttention))).toBe(true)
  // All of them were read, so their reasons need not be counted.
  expect(counted.map(({ group_by }) => group_by)).not.toContain('failure_reason')
})

test('backups: how many of the newest are proven, and the failing ones by name', async () => {
  expect(await screen.findByText('1 of 3 proven')).toBeTruthy()
  const failing = await screen.findByRole('region', { name: 'Failing' })
  const links = within(failing).getAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['blogProof failed', '/site/blog#backupandrestore'],
  ])
})

test('a site that is down can be restarted, one that its owners suspended resumed', async () => {
  await screen.findByText('blog is down')
  const line = (text: string) => within(screen.getByText(text).closest('li') as HTMLElement)
  expect(line('blog is down').getByRole('button', { name: 'Restart…' })).toBeTruthy()
  expect(line('news is suspended').getByRole('button', { name: 'Resume' })).toBeTruthy()
})

test('who can create servers has the way to it beside that to a site', async () => {
  const paths = () => [
    ...new Set(
      screen.getAllByRole('link', { name: /^Create (server|site)$/ }).map((link) => link.getAttribute('href')),
    ),
  ]
  await screen.findByText('blog is down')
  expect(paths()).toEqual(['/site/create'])
  await page.changeSession({ ...owner, modules: { ee: true, wpc: false } })
  expect(paths()).toEqual(['/server/create', '/site/create'])
})
