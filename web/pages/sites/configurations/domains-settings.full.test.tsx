import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { DomainsSettings } from './domains-settings.tsx'

const api = apiServer()
const site = {
  name: 's1',
  domain: 'blog',
  url: 'http://blog.localhost:8080',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
  aliases: [
    { domain: 'www.blog.example', url: 'http://www.blog.example:8080', mode: 'redirect' },
    { domain: 'lost.example', url: 'http://lost.example:8080', mode: 'serve', taken: 1 },
  ],
} as unknown as Site
const actions = () =>
  api.calls.filter(({ name }) => name === 'run_doc_method').map(({ body }) => [body['method'], body['args']])
let write = 1
const part = (after: string | null, rows: number) => ({
  domain: 'shop',
  url: 'http://shop.localhost:8080',
  tables: [{ table: 'wp_posts', rows, places: rows * 2 }],
  options: [{ option: `option${rows}`, places: 1 }],
  examples: [{ table: 'wp_posts', column: 'post_content', before: '//blog.localhost', after: '//shop.localhost' }],
  skipped: 0,
  after,
})

function Toasts() {
  return useToasts().history.map(({ id, title, action }) => (
    <p key={id}>
      {title} <button onClick={action?.onClick}>{action?.label}</button>
    </p>
  ))
}

function open(more: Partial<Site> = {}, session = owner) {
  return renderAs(
    session,
    <TooltipProvider>
      <DomainsSettings site={{ ...site, ...more }} />
      <Toasts />
    </TooltipProvider>,
  )
}

beforeEach(() => {
  clearToasts()
  write = 1
  const needed = Object.values<Action>(SiteDoctype.actions ?? {}).flatMap(({ capability }) => capability ?? [])
  const capabilities = Object.fromEntries(needed.map((name) => [name, { supported: true }]))
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write, share: 0 } } }))
  api.on('run_doc_method', ({ body }) => ({ message: { domain: (body['args'] as { domain: string }).domain } }))
})

test('why the primary domain can’t be changed is read without a pointer', async () => {
  const capabilities = {
    domain_change: { supported: false, reason: 'EasyEngine has no rename.' },
    aliases: { supported: true },
  }
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  open()
  const reason = await screen.findByText('EasyEngine has no rename.')
  const button = screen.getByRole('button', { name: 'Change…' })
  expect(button.getAttribute('aria-describedby')).toBe(reason.id)
  expect(screen.getByLabelText('Alias')).toBeTruthy()
})

test('an alias on a server that does not lead there yet is shown with the record that it needs', async () => {
  api.on('easydash.api.site.look_up_domain', ({ body }) => ({
    message: {
      state: 'not_here',
      expected: body['server'] === 'srv' ? [{ type: 'A', address: '203.0.113.7' }] : [],
      found: [],
    },
  }))
  const { user } = open({ engine: 'ee' })
  await user.type(await screen.findByLabelText('Alias'), 'Shop.example')
  const records = await screen.findByRole('list', { name: 'DNS records of shop.example' })
  expect(records.textContent).toBe('ANo recordAdd203.0.113.7')
  expect(api.calls.find(({ name }) => name.endsWith('look_up_domain'))?.body).toMatchObject({ domain: 'shop.example' })
})

test('a name that is entered while the one before is added stays', async () => {
  const added = Promise.withResolvers<void>()
  api.on('run_doc_method', async () => {
    await added.promise
    return { message: { domain: 'first.example' } }
  })
  const { user } = open()
  const field = await screen.findByLabelText<HTMLInputElement>('Alias')
  await user.type(field, 'first.example{Enter}')
  await waitFor(() => expect(actions()).toHaveLength(1))
  await user.clear(field)
  await user.type(field, 'second.example')
  added.resolve()
  await screen.findByText(/first\.example/)
  expect(field.value).toBe('second.example')
})

test('upper case becomes lower case while it is typed, and the caret stays', async () => {
  const { user } = open()
  const field = await screen.findByLabelText<HTMLInputElement>('Alias')
  await user.type(field, 'WWW.BÜCHER.example')
  await user.type(field, 'X', { initialSelectionStart: 3, initialSelectionEnd: 3 })
  expect([field.value, field.selectionStart]).toEqual(['wwwx.bücher.example', 4])
  await user.click(screen.getByRole('button', { name: 'Add alias' }))
  await waitFor(() => expect(actions()).toEqual([['add_alias', { domain: 'wwwx.bücher.example', mode: 'redirect' }]]))
  await user.click(screen.getByRole('button', { name: 'Change…' }))
  const changed = await screen.findByLabelText<HTMLInputElement>(/^New primary domain/)
  await user.type(changed, 'Shop')
  expect(changed.value).toBe('shop')
})

test('adds an alias, says what is no name before it is sent, and what the server refuses at the field', async () => {
  const { user } = open()
  const field = await screen.findByLabelText('Alias')
  for (const [text, problem] of [
    ['exa mple', /Enter a name alone/],
    ['*.example.com', /wildcard/],
    ['shop.example:80', /port/],
    ['a.b.localhost', /single part/],
  ] as const) {
    await user.clear(field)
    await user.type(field, text)
    await user.click(screen.getByRole('button', { name: 'Add alias' }))
    expect(await screen.findByText(problem)).toBeTruthy()
  }
  expect(actions()).toEqual([])
  await user.clear(field)
  await user.type(field, 'shop')
  await user.selectOptions(screen.getByLabelText('Visitors'), 'Serve the site')
  await user.click(screen.getByRole('button', { name: 'Add alias' }))
  await screen.findByText('shop was added')
  expect(JSON.stringify(actions())).toBe(JSON.stringify([['add_alias', { domain: 'shop', mode: 'serve' }]]))
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(actions().at(-1)).toEqual(['remove_alias', { domain: 'shop' }]))
  expect(field).toHaveProperty('value', '')

  api.on('run_doc_method', () => ({
    status: 417,
    body: {
      exc_type: 'UniqueValidationError',
      message: 'In use already.',
      errors: [{ field: 'domain', message: 'In use already.' }],
    },
  }))
  await user.type(field, 'taken.example')
  await user.click(screen.getByRole('button', { name: 'Add alias' }))
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(field).toHaveProperty('value', 'taken.example')
})

test('changes and removes aliases with undo, and shows those that another site got', async () => {
  const { user } = open()
  const mode = await screen.findByLabelText('Visitors of www.blog.example:8080')
  await user.selectOptions(mode, 'serve')
  const changed = await screen.findByText('www.blog.example:8080: changed')
  await user.click(screen.getByRole('button', { name: 'Remove www.blog.example:8080' }))
  const removed = await screen.findByText('www.blog.example:8080 was removed')
  await user.click(within(removed).getByRole('button', { name: 'Undo' }))
  // The mode of before.
  await user.click(within(changed).getByRole('button', { name: 'Undo' }))
  await screen.findByText('Change alias: done')
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.getByText(/Another site of yours got this name/)).toBeTruthy()
  await waitFor(() => expect(actions()).toHaveLength(5))
  expect(actions()).toEqual([
    ['set_alias_mode', { domain: 'www.blog.example', mode: 'serve' }],
    ['remove_alias', { domain: 'www.blog.example' }],
    ['add_alias', { domain: 'www.blog.example', mode: 'redirect' }],
    ['set_alias_mode', { domain: 'www.blog.example', mode: 'redirect' }],
    ['remove_alias', { domain: 'lost.example' }],
  ])
})

test('undoes no mode that somebody else has changed since', async () => {
  let mode = 'serve'
  api.on('resource/Site/s1', () => ({ data: { name: 's1', aliases: [{ domain: 'www.blog.example', mode }] } }))
  const { user } = open()
  await user.selectOptions(await screen.findByLabelText('Visitors of www.blog.example:8080'), 'serve')
  const changed = await screen.findByText('www.blog.example:8080: changed')
  await waitFor(() => expect(api.calls.map(({ name }) => name)).toContain('resource/Site/s1'))
  mode = 'redirect'
  await user.click(within(changed).getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('Nothing was undone, because it was changed since')).toBeTruthy()
  expect(actions()).toHaveLength(1)
})

test('shows what a change of the primary domain replaces, part after part, before it starts', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText(/New primary domain/), 'shop')
  api.on('run_doc_method', ({ body }) => {
    const { after } = body['args'] as { after?: string }
    if (body['method'] === 'change_domain') return { message: { job: 'j1' } }
    return { message: after === undefined ? part('7:wp_posts', 3) : part(null, 4) }
  })
  await user.click(dialog.getByRole('button', { name: 'Show what changes' }))
  expect(await dialog.findByText(/14 addresses are replaced in 7 rows/)).toBeTruthy()
  expect(dialog.getByText('The site will answer at http://shop.localhost:8080.')).toBeTruthy()
  expect(dialog.getByRole('row', { name: 'wp_posts 7 14' })).toBeTruthy()
  expect(dialog.getByText('Options: option3, option4')).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Change domain' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(actions().map(([method]) => method)).toEqual([
    'preview_domain_change',
    'preview_domain_change',
    'change_domain',
  ])
  expect(actions().at(-1)?.[1]).toEqual({ domain: 'shop', old_domain: 'redirect' })
})

test('who can only see the site sees its names and nothing to change them', async () => {
  write = 0
  open({ owner: 'somebody@acme.example' }, member)
  expect(await screen.findByText('www.blog.example:8080')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Change…' })).toBeNull())
  expect(screen.queryByLabelText('Alias')).toBeNull()
  expect(screen.queryByRole('combobox')).toBeNull()
})
