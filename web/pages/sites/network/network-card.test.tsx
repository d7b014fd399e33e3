import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { MultisiteCard, NetworkCard } from './network-card.tsx'

const api = apiServer()
const site = {
  name: 's1',
  domain: 'blog',
  url: 'http://blog.localhost:8080',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
  engine: 'local',
} as Site
const row = { id: 2, title: 'Shop', path: '/shop/', url: 'x', main: false, state: 'live' } as const
const sites: NonNullable<WordPressFacts['sites']> = {
  total: 3,
  subdomains: false,
  rows: [
    { ...row, id: 1, title: 'Blog', path: '/', main: true },
    row,
    { ...row, id: 3, title: 'Odd', path: '//evil.example/', url: 'http://evil.example', state: 'archived' },
  ],
}
const change = vi.fn<(action: string, args: Record<string, unknown>, options: { key: string }) => Promise<true>>()
const refresh = vi.fn<WordPress['refresh']>()

beforeEach(() => {
  change.mockReset().mockResolvedValue(true)
  refresh.mockReset().mockResolvedValue()
  api.on('run_doc_method', () => ({ message: { ran: null } }))
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
})

const wordpress = (changes: Partial<WordPress> = {}): WordPress => ({
  site,
  facts: null,
  plugins: null,
  measuredAt: null,
  jobsHeld: null,
  heldFor: () => null,
  error: null,
  reading: false,
  refresh,
  held: null,
  changing: null,
  change: change as WordPress['change'],
  ...changes,
})
const open = (changes: Partial<WordPress> = {}) =>
  renderAs(
    owner,
    <TooltipProvider>
      <NetworkCard wordpress={wordpress(changes)} sites={sites} />
    </TooltipProvider>,
  )

test('links to sites below the address of the network only, whatever their paths say', () => {
  open()
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    'http://blog.localhost:8080/',
    'http://blog.localhost:8080/shop/',
  ])
  expect(screen.getByText('First site')).toBeTruthy()
  expect(screen.getByText('Archived')).toBeTruthy()
})

test('adds a site once its path is one, then reads the network again', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Add site…' }))
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByLabelText(/^Path/), 'My Shop')
  await user.type(within(dialog).getByLabelText(/^Title/), 'New')
  await user.click(within(dialog).getByRole('button', { name: 'Add site' }))
  expect(await within(dialog).findByText('Enter lowercase letters, digits and hyphens.')).toBeTruthy()
  await user.clear(within(dialog).getByLabelText(/^Path/))
  await user.type(within(dialog).getByLabelText(/^Path/), 'my-shop')
  await user.click(within(dialog).getByRole('button', { name: 'Add site' }))
  await waitFor(() => expect(refresh).toHaveBeenCalled())
  const [call] = api.calls.filter(({ body }) => body['method'] === 'add_network_site')
  expect(call?.body).toMatchObject({ dn: 's1', args: { path: 'my-shop', title: 'New' } })
})

test('deletes a site once its path was typed, but not the first one', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'More actions for Blog' }))
  expect(screen.getByText('The first site of a network can’t be deleted.')).toBeTruthy()
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('button', { name: 'More actions for Shop' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
  const question = await screen.findByRole('alertdialog')
  await user.type(within(question).getByRole('textbox'), '/shop/')
  await user.click(within(question).getByRole('button', { name: 'Delete site' }))
  await waitFor(() => expect(change).toHaveBeenCalledWith('delete_network_site', { site: 2 }, { key: 'site 2' }))
})

test('a server that can’t run networks says why', async () => {
  api.on('easydash.api.engine.capabilities', () => ({
    message: {
      engine: 'local',
      php_versions: [],
      capabilities: { multisite: { supported: false, reason: 'This server runs single sites only.' } },
    },
  }))
  renderAs(
    owner,
    <TooltipProvider>
      <MultisiteCard wordpress={wordpress()} />
    </TooltipProvider>,
  )
  expect(await screen.findByText('This server runs single sites only.')).toBeTruthy()
  expect(screen.getByRole('button', { name: /^Turn on multisite/ }).getAttribute('aria-disabled')).toBe('true')
})
