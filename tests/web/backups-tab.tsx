/** The list of backups of a site, and what it shows. */
import { screen } from '@testing-library/react'
import { beforeEach } from 'vitest'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from './api.ts'
import { hoursAgo } from './hours-ago.ts'
import { owner, renderAs } from './screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BackupsTab } from '#web/pages/sites/backups/backups-tab.tsx'

export const api = apiServer()
const site = {
  name: 's1',
  organization: 'acme',
  domain: 'blog',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
} as Site
export const proven: Partial<SiteBackup> = {
  name: 'b1',
  site: 's1',
  site_domain: 'blog',
  site_type: 'wp',
  status: 'Ready',
  kind: 'manual',
  proof: 'Proven',
  proof_detail: [],
  proof_seen: [
    { what: 'visited', expected: 5, found: 5 },
    { what: 'files', expected: 2930, found: 2930 },
  ],
  proved_at: hoursAgo(2),
  taken_at: hoursAgo(3),
  creation: hoursAgo(3),
  size: 412 * 1_048_576,
  store: 'local',
  counts: { pages: 5, posts: 12, files: 2930 },
  note: 'Before the launch',
  pinned: 0,
}
/** As a server answers: with the fields that were asked for, called as they were to be (`site.title as site_title`). */
const pick = (row: object, fields: readonly string[]) => {
  const asked = new Set(fields.map((field) => field.split(' as ').at(-1)))
  return Object.fromEntries(Object.entries(row).filter(([name]) => asked.has(name)))
}
/** What is listed. */
export const shown: { backups: readonly Partial<SiteBackup>[] } = { backups: [] }
export const acted = () =>
  api.calls
    .filter(({ name, body }) => name === 'run_doc_method' && body['method'] !== 'compare')
    .map(({ body }) => body)
/** What the site of the backups has now. */
export const counted = {
  now: { posts: 14, pages: 5, comments: 3, uploads: 2, users: 2, plugins: 1, themes: 3, files: 2931 },
  changed: { posts: 2, orders: 1, comments: 0, users: 1, files: 4 },
  is_whole: true,
}
export const open = (session = owner, more: Partial<Site> = {}, at = '/site/s1#backupandrestore') =>
  renderAs(
    session,
    <TooltipProvider>
      <BackupsTab site={{ ...site, ...more }} />
    </TooltipProvider>,
    at,
  )
export const openMenu = async (user: ReturnType<typeof open>['user']) => {
  await user.click(await screen.findByRole('button', { name: /^Actions for blog, / }))
  return screen.findByRole('menu')
}

beforeEach(() => {
  shown.backups = [proven]
  api.on(':method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: {} } }))
  api.on('frappe.client.get_count', () => ({ message: 7 }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message: body['doctype'] === 'Site Backup' ? shown.backups.map((row) => pick(row, body['fields'] as string[])) : [],
  }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1 } } }))
  api.on('resource/:doctype/:name', ({ verb }) => ({ data: verb === 'DELETE' ? 'ok' : shown.backups[0] }))
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: 'k1',
      stores: [
        { store: 'local', label: null, status: null, usage: null, price: null, unknown: null },
        { store: 'k1', label: 'Archive', status: 'Connected', usage: null, price: null, unknown: null },
      ],
    },
  }))
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === 'compare' ? counted : { job: 'j1', site: 's2' },
  }))
})
