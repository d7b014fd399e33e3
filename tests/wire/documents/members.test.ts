/** Invitations and sharing through the API: shapes, statuses, and sockets of users who lose a permission. */
import { io, type Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shareHooks, sharingActions } from '#server/features/sites/site-sharing.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser, SdkError } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let member: Browser
let stranger: Browser
let site: string
const open = new Set<Socket>()

const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

beforeAll(async () => {
  booted = await boot({ controllers: [shareHooks, sharingActions] })
  await booted.organization('acme', {
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
  member = await booted.signedIn('member@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
  site = await inSystem(async (tx) => {
    const server = await tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test' })
    return tx.insert(
      SiteDoctype,
      { organization: 'acme', domain: 'blog', server: server.name, site_type: 'html', status: 'Live' },
      { owner: 'owner@acme.example' },
    )
  }).then((doc) => doc.name)
})
afterEach(() => {
  for (const socket of open) socket.close()
  open.clear()
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const post = (browser: Browser, method: string, params: Record<string, unknown>) =>
  browser.app.call().post<Record<string, unknown>>(method, params)
const action = (browser: Browser, dt: string, dn: string, method: string, args: Record<string, unknown> = {}) =>
  post(browser, 'run_doc_method', { dt, dn, method, args })
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('It was allowed')
    },
    (error: unknown) => error as SdkError,
  )
const linkToken = (to: string) => {
  const text = booted.mails.findLast((mail) => mail.to === to)?.text ?? ''
  return /invitation\?token=([\w-]{43})/.exec(text)?.[1] ?? ''
}

describe('invitations on the wire', () => {
  it('are created by the resource API with a mail, and listed by the document method', async () => {
    const made = await owner.app.db().createDoc('Member Invite', { user: 'One@Example.com' })
    expect(made).toMatchObject({
      doctype: 'Member Invite',
      user: 'one@example.com',
      organization: 'acme',
      organization_role: 'Organization User',
      status: 'pending',
      invited_by: 'owner@acme.example',
    })
    expect(made).not.toHaveProperty('token_hash')
    expect(linkToken('one@example.com')).not.toBe('')
    const doc = await owner.app.db().getDoc('Organization', 'acme')
    const response = await post(owner, 'run_doc_method', { docs: JSON.stringify(doc), method: 'list_invitations' })
    expect(response['docs']).toHaveLength(1)
    expect(response['message']).toEqual([
      expect.objectContaining({
        name: (made as { name: string }).name,
        user: 'one@example.com',
        organization_role: 'Organization User',
        status: 'pending',
        creation: expect.stringMatching(/^\d{4}-\d\d-\d\d /) as string,
        expires: expect.stringMatching(/^\d{4}-\d\d-\d\d /) as string,
      }),
    ])
  })

  it('belong to those who may invite in that organization', async () => {
    const create = (browser: Browser, values: Record<string, unknown>) =>
      errorOf(browser.app.db().createDoc('Member Invite', values))
    const as = { organization_role: 'Organization Admin' }
    expect(await create(manager, { user: 'x@example.com', ...as })).toMatchObject({ httpStatus: 403 })
    expect(await create(member, { user: 'x@example.com' })).toMatchObject({ httpStatus: 403 })
    expect(await create(stranger, { user: 'x@example.com', organization: 'acme' })).toMatchObject({ httpStatus: 403 })
    expect(await errorOf(action(member, 'Organization', 'acme', 'list_invitations'))).toMatchObject({ httpStatus: 403 })
    expect(await errorOf(action(stranger, 'Organization', 'acme', 'list_invitations'))).toMatchObject({
      httpStatus: 404,
    })
    expect(await stranger.app.db().getDocList('Member Invite')).toEqual([])
    expect(await errorOf(member.app.db().getDocList('Member Invite'))).toMatchObject({ httpStatus: 403 })
    await manager.app.db().createDoc('Member Invite', { user: 'two@example.com' })
    await action(owner, 'Organization', 'acme', 'list_invitations')
  })

  it('cannot be changed by hand: status, role, address and expiry stay', async () => {
    const [row] = (await owner.app.db().getDocList('Member Invite', { limit: 1 })) as { name: string }[]
    const changes: Record<string, string>[] = [{ organization_role: 'Organization Admin' }, { user: 'eve@example.com' }]
    for (const values of changes)
      expect(await errorOf(owner.app.db().updateDoc('Member Invite', row?.name ?? '', values))).toMatchObject({
        httpStatus: 403,
      })
  })

  it('check is for everybody with the link; accepting is for the verified account of the address', async () => {
    await post(owner, 'easydash.api.organization.invite_members', { users: ['guest@example.com'] })
    const token = linkToken('guest@example.com')
    const guest = booted.browser()
    for (const check of [
      await post(guest, 'easydash.api.account.check_invitation', { token }),
      await guest.app.call().get<Record<string, unknown>>('check_invitation', { token }),
    ])
      expect(check['message']).toMatchObject({
        organization_title: 'acme',
        user: 'guest@example.com',
        status: 'pending',
      })
    for (const wrong of ['', 'x', 'a'.repeat(43)])
      expect((await errorOf(post(guest, 'check_invitation', { token: wrong }))).httpStatus).toSatisfy(
        (status: number) => status === 410 || status === 417,
      )
    expect(await errorOf(post(guest, 'check_invitation', { token: ['x'] }))).toMatchObject({ httpStatus: 417 })
    expect(await errorOf(post(guest, 'accept_invitation', { token }))).toMatchObject({ httpStatus: 403 })
    expect(await errorOf(post(stranger, 'accept_invitation', { token }))).toMatchObject({
      httpStatus: 403,
      exc_type: 'PermissionError',
    })
    await booted.person('guest@example.com')
    const invited = await booted.signedIn('guest@example.com')
    expect(await errorOf(invited.app.call().get('accept_invitation', { token }))).toMatchObject({ httpStatus: 403 })
    expect(await post(invited, 'accept_invitation', { token })).toMatchObject({ message: { organization: 'acme' } })
    expect(await errorOf(post(invited, 'accept_invitation', { token }))).toMatchObject({
      httpStatus: 410,
      exc_type: 'LinkExpired',
    })
    const metadata = await post(invited, 'get_current_user_organization_metadata', {})
    expect(metadata['message']).toMatchObject({ org_slug: 'acme', org_role: 'Organization User' })
  })
})

describe('sockets of people who lose a right', () => {
  async function connected(browser: Browser): Promise<Socket> {
    const socket = io(`http://localhost:${booted.port}/localhost`, {
      extraHeaders: { cookie: browser.cookieHeader() },
      forceNew: true,
      reconnectionDelay: 20,
      reconnectionDelayMax: 50,
    })
    open.add(socket)
    await once(socket, 'connect')
    return socket
  }
  const once = <T = unknown>(socket: Socket, event: string) =>
    new Promise<T>((resolve) => {
      socket.once(event, (payload: T) => resolve(payload))
    })
  /** When the pong arrives, everything sent before has been handled. */
  const settled = async (socket: Socket) => {
    const pong = once(socket, 'pong')
    socket.emit('ping')
    await pong
  }
  const touch = () => inSystem((tx) => tx.update(SiteDoctype, site, { title: `t${Math.random()}` }))

  /** Subscribes, revokes the permission, and returns whether the next change is still received after reconnecting. */
  async function receivesUpdate(change: () => Promise<unknown>): Promise<boolean> {
    const socket = await connected(member)
    socket.emit('doc_subscribe', 'Site', site)
    await settled(socket)
    const first = once(socket, 'doc_update')
    await touch()
    await first
    const back = once(socket, 'disconnect').then(() => once(socket, 'connect'))
    await change()
    await back
    let received = false
    socket.on('doc_update', () => (received = true))
    socket.emit('doc_subscribe', 'Site', site)
    await settled(socket)
    const marker = once(socket, 'test_marker')
    await touch()
    booted.wire.emitToUser('member@acme.example', 'test_marker', {})
    await marker
    return received
  }

  it('the end of a share ends the room', async () => {
    await action(owner, 'Site', site, 'share', { user: 'member@acme.example', read: 1 })
    expect(await receivesUpdate(() => action(owner, 'Site', site, 'unshare', { user: 'member@acme.example' }))).toBe(
      false,
    )
  })

  it('a bit less closes the connection; what is left comes back', async () => {
    await action(owner, 'Site', site, 'share', { user: 'member@acme.example', share: 1 })
    expect(
      await receivesUpdate(() => action(owner, 'Site', site, 'share', { user: 'member@acme.example', read: 1 })),
    ).toBe(true)
    await action(owner, 'Site', site, 'unshare', { user: 'member@acme.example' })
  })

  it('a demotion and a transfer of ownership do the same', async () => {
    const [row] = (await owner.app.db().getDocList('Organization Member', {
      filters: [['user', '=', 'member@acme.example']],
    })) as { name: string }[]
    const set = (organization_role: string) =>
      owner.app.db().updateDoc('Organization Member', row?.name ?? '', { organization_role })
    await set('Organization Manager')
    expect(await errorOf(set('King'))).toMatchObject({ httpStatus: 417, field: 'organization_role' })
    expect(await receivesUpdate(() => set('Organization User'))).toBe(false)
    await action(owner, 'Site', site, 'set_owner', { new_owner: 'member@acme.example' })
    expect(
      await receivesUpdate(() => action(owner, 'Site', site, 'set_owner', { new_owner: 'owner@acme.example' })),
    ).toBe(false)
  })

  it('removal ends every right of the organization at once', async () => {
    const [row] = (await owner.app.db().getDocList('Organization Member', {
      filters: [['user', '=', 'member@acme.example']],
    })) as { name: string }[]
    await action(owner, 'Site', site, 'share', { user: 'member@acme.example', read: 1 })
    expect(await receivesUpdate(() => owner.app.db().deleteDoc('Organization Member', row?.name ?? ''))).toBe(false)
    expect(await errorOf(member.app.db().getDoc('Site', site))).toMatchObject({ httpStatus: 404 })
    expect(await errorOf(member.app.db().getDoc('Organization', 'acme'))).toMatchObject({ httpStatus: 404 })
  })
})
