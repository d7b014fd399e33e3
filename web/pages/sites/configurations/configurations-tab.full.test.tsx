import { screen, waitFor, within } from '@testing-library/react'
import type { ReactElement } from 'react'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ConfigurationsTab } from './configurations-tab.tsx'

const api = apiServer()
const values = {
  title: 'Blog',
  tagline: '',
  timezone: 'UTC',
  language: 'en_US',
  search_engines: 1,
  permalinks: '/%postname%/',
  admin_email: 'ann@acme.example',
  start_page: '',
}
const choices = { timezones: ['Europe/Berlin', 'UTC'], languages: ['en_US', 'de_DE'], pages: [{ id: '2', title: '' }] }
/** What the site has at the moment. */
let current: Record<string, unknown> = values
const actions = () =>
  api.calls.filter(({ name }) => name === 'run_doc_method').map(({ body }) => [body['method'], body['args']])
const saves = () => actions().filter(([method]) => method === 'save_wordpress_settings')

function Toasts() {
  return useToasts().history.map(({ id, title, action }) => (
    <p key={id}>
      {title} <button onClick={action?.onClick}>{action?.label}</button>
    </p>
  ))
}

function tabOf(site: object): ReactElement {
  const doc = {
    name: 's1',
    domain: 'blog',
    site_type: 'wp',
    status: 'Live',
    php_version: '8.4',
    server: 'srv',
    ...site,
  }
  return (
    <TooltipProvider>
      <ConfigurationsTab site={doc as unknown as Site} />
      <Toasts />
    </TooltipProvider>
  )
}

async function setup(site: object = {}, session = owner): Promise<Rendered> {
  const rendered = renderAs(session, tabOf(site))
  // What can be done is known, and the settings of WordPress were asked for.
  await screen.findByRole('switch', { name: 'Maintenance mode' })
  return rendered
}

beforeEach(() => {
  clearToasts()
  // Drafts of the test before.
  localStorage.clear()
  sessionStorage.clear()
  current = values
  const needed = Object.values<Action>(SiteDoctype.actions ?? {}).flatMap(({ capability }) => capability ?? [])
  // Certificates and services have a test of their own, and no calls here.
  const isHere = (name: string) =>
    ['tls', 'proxy_cache'].includes(name) ? { supported: false, reason: 'Plain HTTP.' } : { supported: true }
  const capabilities = Object.fromEntries(needed.map((name) => [name, isHere(name)]))
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 0 } } }))
  api.on('run_doc_method', ({ body }) => {
    const { changes } = (body['args'] ?? {}) as { changes?: object }
    if (body['method'] === 'save_wordpress_settings') current = { ...current, ...changes }
    return { message: String(body['method']).endsWith('wordpress_settings') ? { values: current, ...choices } : null }
  })
})

const region = (name: string) => screen.queryByRole('region', { name })

describe('configurations', () => {
  test('show what applies to the kind of site', async () => {
    const { unmount } = await setup()
    await screen.findByRole('form', { name: 'WordPress settings' })
    for (const name of ['WordPress', 'PHP', 'Debug mode', 'Visitors', 'Ownership and sharing', 'Danger zone'])
      expect(region(name), name).not.toBeNull()
    // A document leaves out what is not set.
    for (const name of ['Maintenance mode', 'HTTP authentication'])
      expect(screen.getByRole('switch', { name }).getAttribute('aria-checked')).toBe('false')
    expect(screen.getByText('256 MB')).toBeTruthy()
    unmount()
    const php = await setup({ site_type: 'php' })
    expect([region('WordPress'), region('Debug mode')]).toEqual([null, null])
    expect(region('PHP')).not.toBeNull()
    php.unmount()
    await setup({ site_type: 'html', php_version: null })
    expect([region('WordPress'), region('Debug mode'), region('PHP')]).toEqual([null, null, null])
    expect(region('Visitors')).not.toBeNull()
  })

  test('that the server lacks say so, and are no error', async () => {
    const reason = 'Sites on this server don’t support this.'
    const lacking = { supported: false, reason }
    const other = { supported: false, reason: 'Plain HTTP.' }
    const capabilities = { wordpress_settings: lacking, tls: other, proxy_cache: other }
    api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
    api.on('run_doc_method', () => ({ status: 417, body: { exc_type: 'ValidationError', exception: reason } }))
    await setup()
    expect(await screen.findByText(reason)).toBeTruthy()
    expect(screen.queryByText('The WordPress settings did not load')).toBeNull()
  })

  test('of a site shared for editing have no danger zone and no owner to change', async () => {
    await setup({ owner: 'owner@acme.example' }, member)
    await waitFor(() => expect(region('Danger zone')).toBeNull())
    expect(region('Ownership and sharing')).toBeNull()
    expect(region('Visitors')).not.toBeNull()
  })

  test('show a preview link once, and until when it works', async () => {
    const until = new Date(Date.now() + 86_400_000).toISOString().replace('T', ' ').replace('Z', '000')
    api.on('run_doc_method', ({ body }) => {
      if (body['method'] === 'create_preview_link')
        return { message: { url: 'http://blog.localhost/.easydash/preview?token=abc' } }
      return { message: String(body['method']).endsWith('wordpress_settings') ? { values: current, ...choices } : null }
    })
    const { user, rerender } = await setup()
    const show = (site: object): void => rerender(tabOf(site))
    const part = () => within(region('Preview link') as HTMLElement)
    expect(part().queryByRole('button', { name: /^End preview link/ })).toBeNull()
    await user.click(part().getByRole('button', { name: 'Create preview link…' }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create preview link' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    show({ preview_until: until })
    expect(part().getByText('http://blog.localhost/.easydash/preview?token=abc')).toBeTruthy()
    expect(part().getByText(/^Expires /)).toBeTruthy()
    expect(part().getByRole('button', { name: 'Create new link…' })).toBeTruthy()
    expect(part().getByRole('button', { name: 'End preview link…' })).toBeTruthy()
    show({ preview_until: null })
    expect(part().queryByText(/token=abc/)).toBeNull()
  })

  test('say how long debug mode stays on', async () => {
    const until = new Date(Date.now() + 3 * 3_600_000 - 30_000).toISOString().replace('T', ' ').replace('Z', '000')
    await setup({ debug_until: until })
    expect(within(region('Debug mode') as HTMLElement).getByText('On, 3 h left')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Turn off debug mode' })).toBeTruthy()
  })

  test('ask for how long debug mode stays on', async () => {
    const on = await setup({ debug_until: null })
    await on.user.click(screen.getByRole('button', { name: 'Turn on debug mode…' }))
    const dialog = await screen.findByRole('dialog', { name: /^Turn on debug mode/ })
    await on.user.selectOptions(within(dialog).getByLabelText(/Turn off after/), '4 hours')
    await on.user.click(within(dialog).getByRole('button', { name: 'Turn on debug mode' }))
    await waitFor(() => expect(actions()).toContainEqual(['set_debug', { enabled: 1, hours: 4 }]))
  })
})

describe('settings of WordPress', () => {
  test('send what changed with its old value, and the toast sends it back', async () => {
    const { user } = await setup()
    const title = await screen.findByRole('textbox', { name: 'Title' })
    await user.clear(title)
    await user.type(title, 'News')
    await user.click(screen.getByRole('button', { name: '/archives/123' }))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'de_DE')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    const changes = { title: 'News', permalinks: '/archives/%post_id%', language: 'de_DE' }
    const before = { title: 'Blog', permalinks: '/%postname%/', language: 'en_US' }
    await waitFor(() => expect(saves()).toEqual([['save_wordpress_settings', { changes, expected: before }]]))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull())
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(saves().at(-1)).toEqual(['save_wordpress_settings', { changes: before, expected: changes }]),
    )
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Blog'))
  })

  test('a language is added, then selected', async () => {
    const { user } = await setup()
    const language = await screen.findByRole('combobox', { name: 'Language' })
    api.on('run_doc_method', ({ body }) => {
      const german = { locale: 'de_DE', name: 'German', native: 'Deutsch' }
      const french = { locale: 'fr_FR', name: 'French', native: 'Français' }
      if (body['method'] === 'language_offers') return { message: { reached: true, languages: [german, french] } }
      const languages = [...choices.languages, 'fr_FR']
      return { message: { values, ...choices, languages } }
    })
    await user.click(screen.getByRole('button', { name: 'Add language…' }))
    const dialog = await screen.findByRole('dialog')
    const offered = await within(dialog).findByRole('combobox', { name: 'Language' })
    // Those that the site has are not offered.
    expect([...offered.querySelectorAll('option')].map(({ value }) => value)).toEqual(['fr_FR'])
    await user.click(within(dialog).getByRole('button', { name: 'Add language' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(actions()).toContainEqual(['install_language', { language: 'fr_FR' }])
    await waitFor(() => expect(language).toHaveProperty('value', 'fr_FR'))
    expect(screen.getByText(/French.* is added/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Save' })).toBeTruthy()
  })

  test('name a wrong structure before it is sent', async () => {
    const { user } = await setup()
    const permalinks = await screen.findByRole('textbox', { name: 'Permalinks' })
    await user.clear(permalinks)
    await user.type(permalinks, '/news/')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/It needs %postname% or %post_id%/)).toBeTruthy()
    expect(saves()).toEqual([])
  })

  test('show both values where somebody else changed one', async () => {
    const { user } = await setup()
    const tagline = await screen.findByRole('textbox', { name: 'Tagline' })
    await user.type(tagline, 'Mine')
    api.on('run_doc_method', ({ body }) =>
      body['method'] === 'save_wordpress_settings'
        ? {
            status: 417,
            body: {
              exception: 'Tagline was changed in WordPress in the meantime.',
              exc_type: 'ValidationError',
              code: 'conflict',
              field: 'tagline',
            },
          }
        : { message: { values: { ...values, tagline: 'Theirs' }, ...choices } },
    )
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/Theirs/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Take theirs' }))
    expect(screen.getByRole('textbox', { name: 'Tagline' })).toHaveProperty('value', 'Theirs')
  })

  test('of which the site took only some: those are not asked about, and what it refused stays to be sent again', async () => {
    const { user } = await setup()
    const title = await screen.findByRole('textbox', { name: 'Title' })
    const zone = screen.getByRole('combobox', { name: 'Time zone' })
    await user.type(title, ' two')
    await user.type(screen.getByRole('textbox', { name: 'Tagline' }), 'loud')
    await user.selectOptions(zone, 'Europe/Berlin')
    const refused = 'Everything else was saved, but the site did not take the new value of Time zone.'
    api.on('run_doc_method', ({ body }) => {
      if (body['method'] !== 'save_wordpress_settings') return { message: { values: current, ...choices } }
      // Code of the site changes one that it takes.
      const { changes } = body['args'] as { changes: Record<string, unknown> }
      current = { ...current, ...changes, ...('tagline' in changes ? { tagline: 'LOUD' } : {}), timezone: 'UTC' }
      if (!('timezone' in changes)) return { message: { values: current, ...choices } }
      return { status: 503, body: { exception: refused, code: 'unavailable', field: 'timezone' } }
    })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(refused)).toBeTruthy()
    expect(title).toHaveProperty('value', 'Blog two')
    expect(screen.getByRole('textbox', { name: 'Tagline' })).toHaveProperty('value', 'LOUD')
    expect(zone).toHaveProperty('value', 'Europe/Berlin')

    // What was taken is the value before of the next change.
    await user.type(title, ' three')
    expect(screen.queryByRole('button', { name: 'Take theirs' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(saves().at(-1)).toEqual([
        'save_wordpress_settings',
        {
          changes: { title: 'Blog two three', timezone: 'Europe/Berlin' },
          expected: { title: 'Blog two', timezone: 'UTC' },
        },
      ]),
    )
    await waitFor(() => expect(screen.getByText(refused)).toBeTruthy())
    await user.selectOptions(zone, 'UTC')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull())
  })

  test('are read again after a save whose answer was lost', async () => {
    const { user } = await setup()
    const title = await screen.findByRole('textbox', { name: 'Title' })
    await user.type(title, ' two')
    let isLost = true
    api.on('run_doc_method', ({ body }) => {
      if (body['method'] !== 'save_wordpress_settings') return { message: { values: current, ...choices } }
      current = { ...current, ...(body['args'] as { changes: object }).changes }
      if (!isLost) return { message: { values: current, ...choices } }
      isLost = false
      return { status: 502, body: { exception: 'Lost.' } }
    })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Lost.')).toBeTruthy()
    await user.type(title, ' three')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(saves().at(-1)).toEqual([
        'save_wordpress_settings',
        { changes: { title: 'Blog two three' }, expected: { title: 'Blog two' } },
      ]),
    )
  })

  test('are not read while a job works on the site, which stands in their place', async () => {
    await setup({ status: 'Updating', locked_by_job: 'j1' })
    expect(await screen.findByText('They are shown again when the job that is in progress is done.')).toBeTruthy()
    expect(api.calls.filter(({ body }) => body['method'] === 'read_wordpress_settings')).toEqual([])
  })

  test('are not promised to those who can’t read them either way', async () => {
    api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0, share: 0 } } }))
    renderAs(member, tabOf({ status: 'Updating', locked_by_job: 'j1', owner: 'else@acme.example' }))
    await screen.findByText('Ownership and sharing')
    await waitFor(() => expect(api.calls.some(({ name }) => name === 'frappe.client.get_doc_permissions')).toBe(true))
    expect(screen.queryByText('They are shown again when the job that is in progress is done.')).toBeNull()
  })

  test('stay while a job works on the site, off and with the reason, and are read again after it', async () => {
    const { user, rerender } = await setup()
    const reads = () => api.calls.filter(({ body }) => body['method'] === 'read_wordpress_settings').length
    const title = await screen.findByRole('textbox', { name: 'Title' })
    await user.type(title, ' of mine')
    rerender(tabOf({ status: 'Updating', locked_by_job: 'j1' }))
    expect(screen.getByRole('textbox', { name: 'Title' })).toBe(title)
    expect(title).toHaveProperty('value', 'Blog of mine')
    const off = (title as HTMLInputElement).closest('fieldset') as HTMLFieldSetElement
    expect(off.disabled).toBe(true)
    const reason = document.getElementById(off.getAttribute('aria-describedby') ?? '')
    expect(reason?.textContent).toMatch(/can be changed again when it is done/)
    expect(off.contains(screen.getByRole('button', { name: 'Save' }))).toBe(true)
    const before = reads()
    current = { ...values, tagline: 'By the job' }
    rerender(tabOf({}))
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Tagline' })).toHaveProperty('value', 'By the job'))
    expect(reads()).toBe(before + 1)
    expect(off.disabled).toBe(false)
    expect(title).toHaveProperty('value', 'Blog of mine')
  })

  test('that cannot be read say so and are read again', async () => {
    let fails = true
    api.on('run_doc_method', () =>
      fails
        ? { status: 417, body: { exception: 'The site could not tell its settings.' } }
        : { message: { values, ...choices } },
    )
    const { user } = await setup()
    expect(await screen.findByText('The WordPress settings did not load')).toBeTruthy()
    fails = false
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('textbox', { name: 'Title' })).toHaveProperty('value', 'Blog')
  })

  test('of a site that answers something else are an error, not a form', async () => {
    api.on('run_doc_method', () => ({ message: { values: { title: 1 }, ...choices } }))
    await setup()
    expect(await screen.findByText('The WordPress settings did not load')).toBeTruthy()
  })
})

test('switches apply at once and can be undone from the toast', async () => {
  const { user } = await setup()
  await user.click(screen.getByRole('switch', { name: 'Maintenance mode' }))
  await waitFor(() => expect(actions()).toContainEqual(['maintenance', { enabled: 1 }]))
  expect(await screen.findByText('Maintenance mode is on')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(actions()).toContainEqual(['maintenance', { enabled: 0 }]))
})

test('a new password of HTTP authentication is confirmed, and made known', async () => {
  const { user } = await setup({ http_auth_user: 'blog' })
  await user.click(screen.getByRole('button', { name: 'New password…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'New password' }))
  expect(await screen.findByText('HTTP authentication has a new password')).toBeTruthy()
  expect(actions()).toContainEqual(['regenerate_http_auth', {}])
})

test('labels and notes are saved in the document', async () => {
  const { user } = await setup()
  const form = await screen.findByRole('form', { name: 'Labels and notes of this site' })
  await user.type(within(form).getByRole('textbox', { name: 'Client' }), 'Fernhill')
  await user.type(within(form).getByRole('textbox', { name: 'Notes' }), 'Call first')
  let stored: object = {}
  api.on('resource/Site/s1', ({ body }) => {
    stored = { ...stored, ...body }
    return { data: { name: 's1', status: 'Live', ...stored } }
  })
  await user.click(within(form).getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(api.calls.filter(({ verb }) => verb === 'PUT').map(({ body }) => body)).toMatchObject([
      { client: 'Fernhill', notes: 'Call first' },
    ]),
  )
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The values before were saved')).toBeTruthy()
  expect(api.calls.findLast(({ verb }) => verb === 'PUT')?.body).toMatchObject({ client: null, notes: null })
})
