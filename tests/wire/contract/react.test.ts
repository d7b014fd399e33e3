/**
 * The wire contract with the unmodified frappe-react-sdk: each of its hooks against a real server (sections 4 to 7, 10, 11).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bootAcme, type Acme } from '../acme.ts'
import { password } from '../booted.ts'
import { createDialer } from '../sockets/socket-client.ts'
import { openPage, type Page, type Rendered } from './page.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

let booted: Acme['booted']
let server: string
let page: Page
const dialer = createDialer(() => booted)
const mounted = new Set<{ unmount(): void }>()

beforeAll(async () => {
  ;({ booted, server } = await bootAcme())
  page = await openPage(booted.url)
})
afterEach(() => {
  for (const one of mounted) one.unmount()
  mounted.clear()
  dialer.closeAll()
})
afterAll(async () => {
  await page.close()
  await booted.close()
  expect(booted.logged).toEqual([])
})

function render<T>(hook: () => T, enableSocket?: boolean): Rendered<T> {
  const rendered = page.render(hook, enableSocket)
  mounted.add(rendered)
  return rendered
}
const ready = <T extends { data?: unknown; error?: unknown }>(rendered: Rendered<T>) =>
  rendered.until(({ data, error }) => data !== undefined || error !== undefined)
/** For hooks that return functions right away. */
const mountedHook = <T>(hook: () => T) => render(hook).until(() => true)
const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

describe('section 4: useFrappeAuth', () => {
  it('is logged out without the cookie, and asks nobody', async () => {
    const auth = await render(() => page.sdk.useFrappeAuth()).until(({ isLoading }) => !isLoading)
    expect([auth.currentUser, auth.error]).toEqual([undefined, undefined])
  })

  it('wrong password: the text of the server in message', async () => {
    const { login } = await render(() => page.sdk.useFrappeAuth()).until(({ isLoading }) => !isLoading)
    await expect(login({ username: 'owner@acme.example', password: 'nope' })).rejects.toMatchObject({
      httpStatus: 401,
      exc_type: 'AuthenticationError',
      message: 'Invalid login credentials',
    })
  })

  it('login: the readable cookie is set, sid is not seen, and the user is there', async () => {
    const auth = render(() => page.sdk.useFrappeAuth())
    const { login } = await auth.until(({ isLoading }) => !isLoading)
    expect(await login({ username: 'owner@acme.example', password })).toMatchObject({ message: 'Logged In' })
    expect((await auth.until(({ currentUser }) => currentUser != null)).currentUser).toBe('owner@acme.example')
    expect(page.cookies()).toContain('user_id=')
    expect(page.cookies()).not.toContain('sid=')
    await page.reload()
  })
})

describe('section 5: documents', () => {
  it('useFrappeGetDoc', async () => {
    expect((await ready(render(() => page.sdk.useFrappeGetDoc('Server', server)))).data).toMatchObject({
      name: server,
      hostname: 'one.acme.test',
    })
    expect((await ready(render(() => page.sdk.useFrappeGetDoc('Server', 'nope')))).error).toMatchObject({
      httpStatus: 404,
      exc_type: 'DoesNotExistError',
    })
    const email = await ready(render(() => page.sdk.useFrappeGetDoc('User', 'owner@acme.example')))
    expect(email.data).toMatchObject({ name: 'owner@acme.example' })
  })

  it('useFrappeGetDocList, with and without arguments', async () => {
    expect((await ready(render(() => page.sdk.useFrappeGetDocList('Server')))).data).toHaveLength(3)
    const args = {
      fields: ['hostname', 'status'],
      filters: [['status', '=', 'Degraded']],
      orFilters: [['hostname', 'like', '%']],
      orderBy: { field: 'hostname', order: 'asc' },
      limit: 1,
      limit_start: 1,
      asDict: true,
    } as never
    expect((await ready(render(() => page.sdk.useFrappeGetDocList('Server', args)))).data).toEqual([
      { hostname: 'two.acme.test', status: 'Degraded' },
    ])
  })

  it('useFrappeCreateDoc, useFrappeUpdateDoc, useFrappeDeleteDoc', async () => {
    const { createDoc } = await mountedHook(() =>
      page.sdk.useFrappeCreateDoc<{ hostname: string; organization: string }>(),
    )
    const made = await createDoc('Server', { hostname: 'react.acme.test', organization: 'acme' })
    const { updateDoc } = await mountedHook(() => page.sdk.useFrappeUpdateDoc<{ server_category: string }>())
    expect(await updateDoc('Server', made.name, { server_category: 'production' })).toMatchObject({
      server_category: 'production',
    })
    const { deleteDoc } = await mountedHook(() => page.sdk.useFrappeDeleteDoc())
    expect(await deleteDoc('Server', made.name)).toEqual({ data: 'ok', message: 'ok' })
    await expect(deleteDoc('Server', made.name)).rejects.toMatchObject({ httpStatus: 404 })
  })
})

describe('section 6: useFrappeGetDocCount', () => {
  it('all, and those of a filter', async () => {
    expect((await ready(render(() => page.sdk.useFrappeGetDocCount('Server')))).data).toBe(3)
    const filters = [['status', '=', 'Degraded']] as never
    expect((await ready(render(() => page.sdk.useFrappeGetDocCount('Server', filters)))).data).toBe(2)
    expect((await ready(render(() => page.sdk.useFrappeGetDocCount('Server', filters, true)))).data).toBe(2)
  })
})

describe('sections 7 and 9: calls', () => {
  it('useFrappeGetCall, by GET and POST', async () => {
    const metadata = { message: { org_slug: 'acme' } }
    const name = 'get_current_user_organization_metadata'
    expect((await ready(render(() => page.sdk.useFrappeGetCall(name)))).data).toMatchObject(metadata)
    expect((await ready(render(() => page.sdk.useFrappeGetCall(name, {}, 'posted', {}, 'POST')))).data).toMatchObject(
      metadata,
    )
    const filters = JSON.stringify({ name: server })
    const value = await ready(
      render(() =>
        page.sdk.useFrappeGetCall('frappe.client.get_value', {
          doctype: 'Server',
          fieldname: 'server_category',
          filters,
        }),
      ),
    )
    expect(value.data).toEqual({ message: { server_category: 'production' } })
  })

  it('useFrappePostCall, useFrappePutCall, useFrappeDeleteCall', async () => {
    const report = await mountedHook(() =>
      page.sdk.useFrappePostCall<{ message: { values: unknown[] } }>('frappe.desk.reportview.get'),
    )
    const params = {
      doctype: 'Server',
      fields: ['name', 'hostname'],
      filters: [['Server', 'status', '=', 'Healthy']],
      page_length: 8,
      view: 'List',
    }
    expect((await report.call(params)).message.values).toEqual([[server, 'one.acme.test']])
    const put = await mountedHook(() => page.sdk.useFrappePutCall('frappe.client.set_value'))
    expect(
      await put.call({ doctype: 'Server', name: server, fieldname: 'server_category', value: 'production' }),
    ).toMatchObject({ message: { name: server } })
    const remove = await mountedHook(() => page.sdk.useFrappeDeleteCall('frappe.client.delete'))
    await expect(remove.call({ doctype: 'Server', name: 'nope' })).rejects.toMatchObject({ httpStatus: 404 })
  })

  it('an error of a call is the body with status and text', async () => {
    const call = render(() => page.sdk.useFrappePostCall('frappe.client.get_count'))
    await expect((await call.until(() => true)).call({})).rejects.toMatchObject({ httpStatus: 417, field: 'doctype' })
    expect((await call.until(({ error }) => error !== null)).error).toMatchObject({ exc_type: 'ValidationError' })
  })

  it('useSearch: what is typed, after its pause', async () => {
    const found = render(() => page.sdk.useSearch('Server', 'one', [['status', '=', 'Healthy']]))
    const { data } = await found.until((search) => search.data !== undefined)
    expect(data?.message).toMatchObject([{ value: server, label: 'one.acme.test' }])
  })
})

describe('section 10: sockets', () => {
  it('useFrappeDocumentEventListener: doc_update of the document, and who else looks at it', async () => {
    const updates: unknown[] = []
    const note = (update: unknown) => void updates.push(update)
    const one = render(() => page.sdk.useFrappeDocumentEventListener('Server', server, note), true)
    const two = render(() => page.sdk.useFrappeDocumentEventListener('Server', server, note), true)
    await one.until(() => true)
    await two.until(() => true)
    // The hook does not report when its subscription is active: change the document until an event arrives.
    await until(async () => {
      await inSystem((tx) => tx.update(ServerDoctype, server, { processor: `p${Math.random()}` }))
      return updates.length > 0
    })
    expect(updates[0]).toMatchObject({ doctype: 'Server', name: server, modified: expect.any(String) as unknown })
    const manager = await booted.signedIn('manager@acme.example')
    const socket = await dialer.connected(manager)
    socket.emit('doc_open', 'Server', server)
    const { viewers } = await one.until((state) => state.viewers.length > 1)
    expect(viewers.toSorted()).toEqual(['manager@acme.example', 'owner@acme.example'])
    socket.close()
    await one.until((state) => state.viewers.length === 1)
  })

  it('useFrappeDocTypeEventListener: list_update of the doctype', async () => {
    const updates: unknown[] = []
    const note = (update: unknown) => void updates.push(update)
    await render(() => page.sdk.useFrappeDocTypeEventListener('Server', note), true).until(() => true)
    await until(async () => {
      await inSystem((tx) => tx.update(ServerDoctype, server, { processor: `q${Math.random()}` }))
      return updates.length > 0
    })
    expect(updates[0]).toEqual({ doctype: 'Server', name: server, user: 'System' })
  })

  it('useFrappeEventListener: messages to the user', async () => {
    const messages: unknown[] = []
    const note = (message: unknown) => void messages.push(message)
    await render(() => page.sdk.useFrappeEventListener('msgprint', note), true).until(() => true)
    await until(() => {
      booted.wire.emitToUser('owner@acme.example', 'msgprint', { message: 'Hello' })
      return Promise.resolve(messages.length > 0)
    })
    expect(messages[0]).toEqual({ message: 'Hello' })
  })
})

describe('section 4: the end', () => {
  it('logout: the cookie goes, and with it the user', async () => {
    const auth = render(() => page.sdk.useFrappeAuth())
    const { logout } = await auth.until(({ currentUser }) => currentUser != null)
    await logout()
    await auth.until(({ currentUser }) => currentUser == null)
    expect(page.cookies()).not.toMatch(/user_id=[^;]/)
    expect((await ready(render(() => page.sdk.useFrappeGetDocList('Server')))).error).toMatchObject({ httpStatus: 403 })
  })
})

/** Repeats an action until it returns true. */
function until(act: () => Promise<boolean>): Promise<void> {
  return expect.poll(act).toBe(true)
}
