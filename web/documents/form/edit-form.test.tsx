import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { NavigationBlocker } from '#web/lib/routing/router-blocker.tsx'
import { createAppRouter, Link } from '#web/lib/routing/router.tsx'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doctype, type AnyDoc } from '#shared/doctype.ts'
import { check, data, int, secret, select } from '#shared/fields.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { EditForm } from './edit-form.tsx'

const api = apiServer()

const Widget = doctype('Widget', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'label',
  fields: {
    label: data({ reqd: true, length: 20 }),
    color: select(['red', 'green']),
    amount: int({ min: 1 }),
    urgent: check(),
    token: secret({ label: 'Token' }),
    plan: data({ server_owned: true }),
    boss: data({ write_roles: ['Owner'] }),
  },
  permissions: {},
})
const names = ['label', 'color', 'amount', 'urgent', 'token', 'plan', 'boss']

const stored = {
  doctype: 'Widget',
  name: 'w1',
  modified: '2026-01-01 00:00:00.000001',
  label: 'Bolt',
  color: 'red',
  amount: 3,
  urgent: 0,
  token: '*****',
  plan: 'Free',
  boss: 'Grace',
} as unknown as AnyDoc
const later = { modified: '2026-01-01 00:00:00.000002' }

/** Sets the replies to saving and to reading the document. */
function serve({ save, read }: { save?: () => Reply; read?: () => Reply }): void {
  api.on('resource/Widget/w1', ({ verb }) => {
    const reply = verb === 'PUT' ? save : read
    if (!reply) throw new Error(`no reply to ${verb}`)
    return reply()
  })
}
const saved = (doc: Record<string, unknown>) => ({ save: () => ({ data: doc }) })
const errorReply = (status: number, body: Record<string, unknown>) => (): Reply => ({ status, body })
const changed = errorReply(409, { exception: 'Changed.', exc_type: 'TimestampMismatchError' })

/** May change what admins may, but not what only the owner may. */
const admin: Session = {
  ...owner,
  organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: false },
}
let router: ReturnType<typeof createAppRouter>
let shown: Rendered | null

function setup(doc: AnyDoc = stored): void {
  const piece = (
    <>
      <NavigationBlocker />
      <EditForm type={Widget} doc={doc} names={names} label="Widget" savedTitle={null} />
      <Link to="/elsewhere">Elsewhere</Link>
    </>
  )
  if (shown) shown.rerender(piece)
  else shown = renderAs(admin, piece, router)
}

const text = () => document.body.textContent
const field = <E extends HTMLElement = HTMLInputElement>(name: string) => document.querySelector<E>(`[name="${name}"]`)
const button = (name: string) => screen.queryByRole('button', { name })

async function type(name: string, value: string): Promise<void> {
  const input = field(name)
  if (!input) throw new Error(`no field ${name}`)
  await act(async () => fireEvent.change(input, { target: { value } }))
}
const press = async (name: string) => shown?.user.click(await screen.findByRole('button', { name }))

const sent = () => api.calls.filter(({ verb }) => verb === 'PUT').map(({ body }) => body)

beforeEach(() => {
  sessionStorage.clear()
  history.replaceState(null, '', '/widget')
  shown = null
  router = createAppRouter('/')
})
afterEach(() => router.dispose())

describe('edit form', () => {
  it('sends only changed fields, with the version they were loaded from', async () => {
    serve(saved({ ...stored, ...later, label: 'Nut', amount: null }))
    setup()
    expect(button('Save')).toBeNull()
    await type('label', ' Nut ')
    await type('amount', '')
    expect(text()).toContain('2 unsaved changes')
    await press('Save')
    await waitFor(() => expect(sent()).toEqual([{ label: 'Nut', amount: '', modified: stored.modified }]))
    setup({ ...stored, ...later, label: 'Nut', amount: null })
    expect(button('Save')).toBeNull()
  })

  it('forgets reverted changes, and all changes on Discard', async () => {
    setup()
    await type('label', 'Nut')
    await type('label', 'Bolt')
    expect(button('Save')).toBeNull()
    await type('label', 'Nut')
    await press('Discard')
    expect(field('label')?.value).toBe('Bolt')
    expect(sent()).toEqual([])
  })

  it('validates before sending, and shows a server error at its field', async () => {
    setup()
    await type('label', '')
    await press('Save')
    expect(text()).toContain('Label is required.')
    expect(document.activeElement).toBe(field('label'))
    serve({ save: errorReply(409, { exception: 'Taken.', field: 'label' }) })
    await type('label', 'Nut')
    await press('Save')
    expect(text()).toContain('Taken.')
    expect(field('label')?.getAttribute('aria-invalid')).toBe('true')
  })

  it('shows fields that the user cannot change as read-only', async () => {
    setup()
    expect(field('plan')?.readOnly).toBe(true)
    expect(field('boss')?.readOnly).toBe(true)
    expect(field('label')?.readOnly).toBe(false)
  })

  it('updates untouched fields when the document changes, and keeps the others', async () => {
    setup()
    await type('label', 'Nut')
    setup({ ...stored, ...later, color: 'green' })
    expect(field<HTMLSelectElement>('color')?.value).toBe('green')
    expect(field('label')?.value).toBe('Nut')
    expect(text()).not.toContain('meanwhile')
  })

  it('asks if another user saved the same field', async () => {
    serve(saved({ ...stored, label: 'Nut' }))
    setup()
    await type('label', 'Nut')
    setup({ ...stored, ...later, label: 'Screw' })
    expect(text()).toContain('Label: theirs is “Screw”, yours “Nut”.')
    await press('Save')
    expect(sent()).toEqual([])
    await press('Keep mine')
    await press('Save')
    await waitFor(() => expect(sent()).toEqual([{ label: 'Nut', ...later }]))
  })

  it('takes the other user’s value on request', async () => {
    setup()
    await type('label', 'Nut')
    setup({ ...stored, ...later, label: 'Screw' })
    await press('Take theirs')
    expect(field('label')?.value).toBe('Screw')
    expect(button('Save')).toBeNull()
  })

  it('saves onto a newer version if other fields changed', async () => {
    const replies = [changed(), { data: { ...stored, label: 'Nut' } }]
    serve({
      save: () => replies.shift() ?? changed(),
      read: () => ({ data: { ...stored, ...later, color: 'green' } }),
    })
    setup()
    await type('label', 'Nut')
    await press('Save')
    await waitFor(() =>
      expect(sent()).toEqual([
        { label: 'Nut', modified: stored.modified },
        { label: 'Nut', ...later },
      ]),
    )
  })

  it('does not overwrite a value that another user changed in the meantime', async () => {
    serve({ save: changed, read: () => ({ data: { ...stored, ...later, label: 'Screw' } }) })
    setup()
    await type('label', 'Nut')
    await press('Save')
    await waitFor(() => expect(sent()).toHaveLength(1))
    setup({ ...stored, ...later, label: 'Screw' })
    expect(text()).toContain('Somebody else saved this in the meantime')
  })
})

describe('secrets of an edit form', () => {
  it('show only whether they are set, and can be replaced or removed', async () => {
    serve(saved(stored))
    setup()
    expect(field('token')).toBeNull()
    expect(screen.getByRole('group', { name: 'Token' }).textContent).toContain('Set')
    await press('Remove Token')
    expect(text()).toContain('Removed when you save')
    await press('Save')
    await waitFor(() => expect(sent()).toEqual([{ token: '', modified: stored.modified }]))
    await press('Replace Token')
    await type('token', 'abc')
    await press('Save')
    await waitFor(() => expect(sent()[1]).toEqual({ token: 'abc', modified: stored.modified }))
    expect(field('token')).toBeNull()
  })

  it('are not part of the draft that survives a reload', async () => {
    setup()
    await type('label', 'Nut')
    await press('Replace Token')
    await type('token', 'top-secret')
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('top-secret')
    shown?.unmount()
    shown = null
    setup()
    expect(field('label')?.value).toBe('Nut')
    expect(text()).toContain('1 unsaved change')
    setup({ ...stored, label: 'Screw' })
    expect(text()).toContain('yours “Nut”')
  })
})

describe('unsaved changes', () => {
  const navigateAway = async () => shown?.user.click(screen.getByRole('link', { name: 'Elsewhere' }))

  it('don’t block navigation if there are none', async () => {
    setup()
    await navigateAway()
    expect(location.pathname).toBe('/elsewhere')
  })

  it('are only discarded after confirmation', async () => {
    setup()
    await type('label', 'Nut')
    await navigateAway()
    expect(location.pathname).toBe('/widget')
    await screen.findByText('Leave without saving?')
    await press('Keep editing')
    expect(location.pathname).toBe('/widget')
    expect(field('label')?.value).toBe('Nut')
    await navigateAway()
    await press('Discard and leave')
    expect(location.pathname).toBe('/elsewhere')
    expect(sessionStorage.length).toBe(0)
  })

  it('ask for confirmation on Back, and go back once confirmed', async () => {
    history.replaceState({ idx: 3 }, '', '/widget')
    router.dispose()
    router = createAppRouter('/')
    setup()
    await type('label', 'Nut')
    const went = vi.spyOn(history, 'go').mockImplementation(() => undefined)
    const pop = (path: string, idx: number) =>
      act(async () => {
        history.replaceState({ idx }, '', path)
        window.dispatchEvent(new PopStateEvent('popstate', { state: { idx } }))
      })
    await pop('/before', 2)
    expect(went.mock.calls).toEqual([[1]])
    await pop('/widget', 3)
    await press('Keep editing')
    expect(field('label')?.value).toBe('Nut')
    await pop('/before', 2)
    await pop('/widget', 3)
    await press('Discard and leave')
    expect(went.mock.calls.at(-1)).toEqual([-1])
    went.mockRestore()
  })

  it('ask for confirmation when the tab is closed', async () => {
    setup()
    const close = () => {
      const event = new Event('beforeunload', { cancelable: true })
      window.dispatchEvent(event)
      return event.defaultPrevented
    }
    expect(close()).toBe(false)
    await type('label', 'Nut')
    expect(close()).toBe(true)
    await type('label', 'Bolt')
    expect(close()).toBe(false)
  })
})
