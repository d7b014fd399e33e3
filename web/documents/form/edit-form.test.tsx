import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { NavigationBlocker } from '#web/lib/routing/router-blocker.tsx'
import { AppRouter, createAppRouter, Link } from '#web/lib/routing/router.tsx'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doctype, type AnyDoc } from '#shared/doctype.ts'
import { check, data, int, secret, select } from '#shared/fields.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { EditForm } from './edit-form.tsx'

const api = vi.hoisted(() => ({
  updateDoc: vi.fn<(...args: unknown[]) => Promise<unknown>>(),
  getDoc: vi.fn<(...args: unknown[]) => Promise<unknown>>(),
}))
vi.mock('#web/lib/api/api.ts', () => api)
vi.mock('#web/lib/session/session.tsx', () => ({
  userFromCookie: () => 'ada@acme.example',
  useSession: () => ({
    user: 'ada@acme.example',
    organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: false },
    platformAdmin: false,
  }),
}))

const Widget = doctype('Widget', {
  module: 'core',
  tenant: 'organization',
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

let host: HTMLElement
let root: Root
let router: ReturnType<typeof createAppRouter>

function draw(doc: AnyDoc = stored): void {
  act(() =>
    root.render(
      <AppRouter router={router}>
        <NavigationBlocker />
        <EditForm type={Widget} doc={doc} names={names} label="Widget" savedTitle={null} />
        <Link to="/elsewhere">Elsewhere</Link>
      </AppRouter>,
    ),
  )
}

const field = <E extends HTMLElement = HTMLInputElement>(name: string) => host.querySelector<E>(`[name="${name}"]`)
const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((one) => one.textContent === text)

function type(name: string, value: string): void {
  const input = field(name)
  if (!input) throw new Error(`no field ${name}`)
  act(() => {
    const proto = input instanceof HTMLSelectElement ? HTMLSelectElement.prototype : HTMLInputElement.prototype
    Object.getOwnPropertyDescriptor(proto, 'value')?.set?.call(input, value)
    input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  })
}

async function press(text: string): Promise<void> {
  const found = button(text)
  if (!found) throw new Error(`no button ${text}`)
  await act(async () => found.click())
}

const sent = () => api.updateDoc.mock.calls.map(([, , values]) => values)

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  sessionStorage.clear()
  history.replaceState(null, '', '/widget')
  api.updateDoc.mockReset()
  api.getDoc.mockReset()
  host = document.createElement('div')
  document.body.append(host)
  root = createRoot(host)
  router = createAppRouter('/')
})

afterEach(() => {
  act(() => root.unmount())
  router.dispose()
  host.remove()
  vi.unstubAllGlobals()
})

describe('edit form', () => {
  it('sends what was changed and nothing else, with the version it was read at', async () => {
    api.updateDoc.mockResolvedValue({ ...stored, ...later, label: 'Nut', amount: null })
    draw()
    expect(button('Save')).toBeUndefined()
    type('label', ' Nut ')
    type('amount', '')
    expect(host.textContent).toContain('2 unsaved changes')
    await press('Save')
    expect(sent()).toEqual([{ label: 'Nut', amount: '', modified: stored.modified }])
    draw({ ...stored, ...later, label: 'Nut', amount: null })
    expect(button('Save')).toBeUndefined()
  })

  it('forgets changes that are taken back, and all of them on Discard', async () => {
    draw()
    type('label', 'Nut')
    type('label', 'Bolt')
    expect(button('Save')).toBeUndefined()
    type('label', 'Nut')
    await press('Discard')
    expect(field('label')?.value).toBe('Bolt')
    expect(api.updateDoc).not.toHaveBeenCalled()
  })

  it('checks by the description before it sends, and shows what the server says at the field', async () => {
    draw()
    type('label', '')
    await press('Save')
    expect(host.textContent).toContain('Label is required.')
    expect(document.activeElement).toBe(field('label'))
    api.updateDoc.mockRejectedValue(new ApiError('Taken.', { httpStatus: 409, field: 'label' }))
    type('label', 'Nut')
    await press('Save')
    expect(host.textContent).toContain('Taken.')
    expect(field('label')?.getAttribute('aria-invalid')).toBe('true')
  })

  it('draws what the person may not change without letting them', () => {
    draw()
    expect(field('plan')?.readOnly).toBe(true)
    expect(field('boss')?.readOnly).toBe(true)
    expect(field('label')?.readOnly).toBe(false)
  })

  it('follows the document in fields that were not touched, and keeps the others', () => {
    draw()
    type('label', 'Nut')
    draw({ ...stored, ...later, color: 'green' })
    expect(field<HTMLSelectElement>('color')?.value).toBe('green')
    expect(field('label')?.value).toBe('Nut')
    expect(host.textContent).not.toContain('meanwhile')
  })

  it('asks when somebody else saved the same field', async () => {
    api.updateDoc.mockResolvedValue({ ...stored, label: 'Nut' })
    draw()
    type('label', 'Nut')
    draw({ ...stored, ...later, label: 'Screw' })
    expect(host.textContent).toContain('Label: theirs is “Screw”, yours “Nut”.')
    await press('Save')
    expect(api.updateDoc).not.toHaveBeenCalled()
    await press('Keep mine')
    await press('Save')
    expect(sent()).toEqual([{ label: 'Nut', ...later }])
  })

  it('gives way to the other value on wish', async () => {
    draw()
    type('label', 'Nut')
    draw({ ...stored, ...later, label: 'Screw' })
    await press('Take theirs')
    expect(field('label')?.value).toBe('Screw')
    expect(button('Save')).toBeUndefined()
  })

  it('saves on top of a version that changed elsewhere meanwhile', async () => {
    api.updateDoc
      .mockRejectedValueOnce(new ApiError('Changed.', { httpStatus: 409, excType: 'TimestampMismatchError' }))
      .mockResolvedValueOnce({ ...stored, label: 'Nut' })
    api.getDoc.mockResolvedValue({ ...stored, ...later, color: 'green' })
    draw()
    type('label', 'Nut')
    await press('Save')
    expect(sent()).toEqual([
      { label: 'Nut', modified: stored.modified },
      { label: 'Nut', ...later },
    ])
  })

  it('does not overwrite a value that changed meanwhile unseen', async () => {
    api.updateDoc.mockRejectedValue(new ApiError('Changed.', { httpStatus: 409, excType: 'TimestampMismatchError' }))
    api.getDoc.mockResolvedValue({ ...stored, ...later, label: 'Screw' })
    draw()
    type('label', 'Nut')
    await press('Save')
    expect(api.updateDoc).toHaveBeenCalledTimes(1)
    draw({ ...stored, ...later, label: 'Screw' })
    expect(host.textContent).toContain('Somebody else saved this in the meantime')
  })
})

describe('secrets of an edit form', () => {
  it('are said to be set, never shown, and replaced or removed on wish', async () => {
    api.updateDoc.mockResolvedValue(stored)
    draw()
    expect(field('token')).toBeNull()
    expect(host.querySelector('[role=group][aria-label=Token]')?.textContent).toContain('Set')
    await press('Remove')
    expect(host.textContent).toContain('Removed when you save')
    await press('Save')
    expect(sent()).toEqual([{ token: '', modified: stored.modified }])
    await press('Replace')
    type('token', 'abc')
    await press('Save')
    expect(sent()[1]).toEqual({ token: 'abc', modified: stored.modified })
    expect(field('token')).toBeNull()
  })

  it('are not part of the draft that survives a reload', () => {
    draw()
    type('label', 'Nut')
    act(() => button('Replace')?.click())
    type('token', 'top-secret')
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('top-secret')
    act(() => root.unmount())
    root = createRoot(host)
    draw()
    expect(field('label')?.value).toBe('Nut')
    expect(host.textContent).toContain('1 unsaved change')
    draw({ ...stored, label: 'Screw' })
    expect(host.textContent).toContain('yours “Nut”')
  })
})

describe('leave guard', () => {
  const goElsewhere = () => act(async () => host.querySelector('a')?.click())

  it('lets go while nothing is changed', async () => {
    draw()
    await goElsewhere()
    expect(location.pathname).toBe('/elsewhere')
  })

  it('asks before changes are lost', async () => {
    draw()
    type('label', 'Nut')
    await goElsewhere()
    expect(location.pathname).toBe('/widget')
    await vi.waitFor(() => expect(document.body.textContent).toContain('Leave without saving?'))
    await press('Keep editing')
    expect(location.pathname).toBe('/widget')
    expect(field('label')?.value).toBe('Nut')
    await goElsewhere()
    await vi.waitFor(() => expect(button('Discard and leave')).toBeDefined())
    await press('Discard and leave')
    expect(location.pathname).toBe('/elsewhere')
    expect(sessionStorage.length).toBe(0)
  })

  it('asks when the browser goes back, and goes back where the page is meanwhile', async () => {
    history.replaceState({ idx: 3 }, '', '/widget')
    router.dispose()
    router = createAppRouter('/')
    draw()
    type('label', 'Nut')
    const went = vi.spyOn(history, 'go').mockImplementation(() => undefined)
    const pop = (path: string, idx: number) =>
      act(async () => {
        history.replaceState({ idx }, '', path)
        window.dispatchEvent(new PopStateEvent('popstate', { state: { idx } }))
      })
    await pop('/before', 2)
    expect(went.mock.calls).toEqual([[1]])
    await pop('/widget', 3)
    await vi.waitFor(() => expect(button('Discard and leave')).toBeDefined())
    await press('Keep editing')
    expect(field('label')?.value).toBe('Nut')
    await pop('/before', 2)
    await pop('/widget', 3)
    await vi.waitFor(() => expect(button('Discard and leave')).toBeDefined())
    await press('Discard and leave')
    expect(went.mock.calls.at(-1)).toEqual([-1])
    went.mockRestore()
  })

  it('asks the browser to ask when the tab is closed', () => {
    draw()
    const close = () => {
      const event = new Event('beforeunload', { cancelable: true })
      window.dispatchEvent(event)
      return event.defaultPrevented
    }
    expect(close()).toBe(false)
    type('label', 'Nut')
    expect(close()).toBe(true)
    type('label', 'Bolt')
    expect(close()).toBe(false)
  })
})
