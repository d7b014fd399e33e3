import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { CloneDialog } from './clone-dialog.tsx'

const navigate = vi.hoisted(() => vi.fn())
vi.mock('react-router', async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }))

const api = apiServer()
const site = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'srv', title: 'My blog' } as Site
let servers: { value: string; label?: string; description: string }[]
const sent = () => api.calls.filter(({ body }) => body['method'] === 'clone').map(({ body }) => body['args'])
const onClose = vi.fn()

function open(more: Partial<Site> = {}, { by = owner, isStaging = false } = {}) {
  return renderAs(
    by,
    <TooltipProvider>
      <CloneDialog site={{ ...site, ...more }} isStaging={isStaging} onClose={onClose} />
    </TooltipProvider>,
    '/site/s1',
  )
}

beforeEach(() => {
  navigate.mockReset()
  onClose.mockReset()
  servers = [{ value: 'srv', label: 'box', description: '' }]
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.desk.search.search_link', () => ({ message: servers }))
  api.on('frappe.client.get_value', () => ({ message: { server_category: 'development', engine: 'local' } }))
  api.on('frappe.client.get_count', ({ body }) => ({ message: JSON.stringify(body).includes('taken') ? 1 : 0 }))
  api.on('run_doc_method', () => ({ message: { job: 'j1', name: 's2' } }))
})

test('clones under a name of its own and opens the new site with its job', async () => {
  const { user } = open()
  await user.type(screen.getByLabelText(/Name/), 'Blog Copy')
  expect(await screen.findByText('Available')).toBeTruthy()
  expect(screen.getByText(/The site will answer at http:\/\/blog-copy\.localhost/)).toBeTruthy()
  expect(screen.getByLabelText('Site title')).toHaveProperty('value', 'My blog')
  expect(screen.queryByLabelText('Server')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  await waitFor(() => expect(navigate).toHaveBeenCalledWith('/site/s2?job=j1'))
  expect(sent()).toHaveLength(1)
  expect(JSON.stringify(sent()[0])).toMatch(/blog-copy.*srv.*My blog/)
  expect(onClose).toHaveBeenCalled()
})

test('says that a name is taken or not possible, and what the server refused, and keeps what was entered', async () => {
  const { user } = open()
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  expect(sent()).toHaveLength(0)
  await user.type(screen.getByLabelText(/Name/), 'taken')
  expect(await screen.findByText('You already have a site with this name.')).toBeTruthy()
  api.on('run_doc_method', () => ({
    status: 417,
    body: { exc_type: 'ValidationError', message: 'The plan has no room.', errors: [] },
  }))
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  await waitFor(() => expect(screen.getByLabelText(/Name/).getAttribute('aria-invalid')).toBe('true'))
  expect(screen.getByLabelText(/Name/)).toHaveProperty('value', 'taken')
  expect(navigate).not.toHaveBeenCalled()
})

test('on a server, says that a domain is taken', async () => {
  const { user } = open({ engine: 'ee' })
  await user.click(screen.getByLabelText(/Domain/))
  await user.paste('taken.example.com')
  expect(await screen.findByText('You already have a site with this name.')).toBeTruthy()
})

test('offers a server if there are several, and no title for a site without WordPress', async () => {
  servers = [...servers, { value: 'other', label: 'second', description: '' }]
  open({ site_type: 'html' })
  expect(await screen.findByLabelText('Server')).toHaveProperty('value', 'srv')
  expect(screen.queryByLabelText('Site title')).toBeNull()
})

test('a staging site is made beside its source: no servers are asked for', async () => {
  const { user } = open({ engine: 'local' }, { isStaging: true })
  await user.clear(screen.getByLabelText(/Name/))
  await user.type(screen.getByLabelText(/Name/), 'copy')
  await user.click(screen.getByRole('button', { name: 'Create staging site' }))
  await waitFor(() => expect(navigate).toHaveBeenCalled())
  const names = api.calls.map(({ name }) => name)
  expect(names).not.toContain('frappe.desk.search.search_link')
  expect(names).not.toContain('frappe.client.get_value')
})

test('a member whose site is on a server for production chooses one that has its engine', async () => {
  api.on('frappe.client.get_value', ({ body }) => ({
    message: JSON.stringify(body['filters']).includes('"srv"') ? {} : { server_category: 'development' },
  }))
  servers = [{ value: 'dev', label: 'dev-box', description: '' }]
  const { user } = open({ engine: 'ee' }, { by: member })
  await user.type(screen.getByLabelText(/Domain/), 'copy.example.com')
  expect(await screen.findByText('You can’t create a site on this site’s server now.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  await waitFor(() => expect(screen.getByLabelText('Server').getAttribute('aria-invalid')).toBe('true'))
  expect(sent()).toHaveLength(0)
  await user.selectOptions(screen.getByLabelText('Server'), 'dev-box')
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  await waitFor(() => expect(JSON.stringify(sent()[0])).toContain('dev'))
  const asked = api.calls.find(({ name }) => name === 'frappe.desk.search.search_link')
  expect(asked?.body['filters']).toContainEqual(['engine', '=', 'ee'])
})

test('finds a server beyond the first ones, and Enter in the search sends nothing', async () => {
  servers = ['srv', 'b', 'c', 'd', 'e'].map((value) => ({ value, label: value, description: '' }))
  const { user } = open()
  await user.type(screen.getByLabelText(/Name/), 'copy')
  const search = await screen.findByRole('searchbox')
  servers = [{ value: 'far', label: 'far', description: '' }]
  await user.type(search, 'far{Enter}')
  await user.selectOptions(screen.getByLabelText('Server'), await screen.findByRole('option', { name: 'far' }))
  expect(sent()).toHaveLength(0)
  await user.click(screen.getByRole('button', { name: 'Clone site' }))
  await waitFor(() => expect(JSON.stringify(sent()[0])).toContain('far'))
})
