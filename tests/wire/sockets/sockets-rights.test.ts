/**
 * Permissions that change while a connection is being established: nothing is kept between two steps, and no errors are
 * logged.
 */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { createDialer, eventsDuring, next, untilProcessed } from './socket-client.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let booted: Booted
let server: string
const dialer = createDialer(() => booted)

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme')
  server = await booted.documents
    .transaction(booted.system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test', server_category: 'production' }),
    )
    .then((doc) => doc.name)
})
afterEach(() => {
  vi.restoreAllMocks()
  dialer.closeAll()
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

/** A user with a role in the organization, and their browser. */
async function colleague(
  name: string,
  organization_role: OrganizationRole = 'Organization Manager',
): Promise<{ email: string; browser: Browser; row: string }> {
  const email = `${name}@acme.example`
  await booted.person(email)
  const row = await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: email,
      organization_role,
    }),
  )
  return { email, browser: await booted.signedIn(email), row: row.name }
}

const remove = (row: string) =>
  booted.documents.transaction(booted.system, (tx) => tx.delete(OrganizationMemberDoctype, row))
const touch = () =>
  booted.documents.transaction(booted.system, (tx) =>
    tx.update(ServerDoctype, server, { processor: `p${Math.random()}` }),
  )

it('a connection whose session was looked up before the right was lost is looked at again', async () => {
  const { email, browser, row } = await colleague('late')
  const { sessions } = booted.accounts
  const lookUp = sessions.resolveCookie.bind(sessions)
  // The first lookup counts the user's connections. The membership ends after the second one, which admits the connection,
  // and before it is established.
  const lookUps = vi.spyOn(sessions, 'resolveCookie').mockImplementationOnce(lookUp)
  lookUps.mockImplementationOnce(async (...args) => {
    const found = await lookUp(...args)
    const notified = new Promise<void>((resolve) => {
      const stop = sessions.onRevoked(() => {
        stop()
        resolve()
      })
    })
    await remove(row)
    await notified
    return found
  })
  const socket = dialer.dial(browser)
  const back = next(socket, 'disconnect').then(() => next(socket, 'connect'))
  await back
  socket.emit('doc_subscribe', 'Server', server)
  socket.emit('doctype_subscribe', 'Server')
  await untilProcessed(socket)
  expect(await eventsDuring(booted, socket, email, 'doc_update', touch)).toEqual([])
  expect(await eventsDuring(booted, socket, email, 'list_update', touch)).toEqual([])
})

it('a page that was not connected yet learns that its person’s rights changed; others do not', async () => {
  const [{ browser, row }, other] = [await colleague('early'), await colleague('bystander')]
  await booted.documents.transaction(booted.system, (tx) =>
    tx.update(OrganizationMemberDoctype, row, { organization_role: 'Organization User' }),
  )
  const changed = async (by: Browser) => {
    const socket = await dialer.connected(by)
    return (await socket.emitWithAck('catch_up', 0)) as string[]
  }
  // What a commit tells arrives a moment after it.
  await expect.poll(() => changed(browser), { timeout: 30_000 }).toEqual(['user:early@acme.example'])
  expect(await changed(other.browser)).not.toContain('user:early@acme.example')
})

it('a polling connection receives nothing more immediately, and its pending requests do not fail', async () => {
  const { email, browser, row } = await colleague('poller')
  const socket = await dialer.connected(browser, { transports: ['polling'] })
  socket.emit('doctype_subscribe', 'Server')
  await untilProcessed(socket)
  const ended = next(socket, 'disconnect')
  const updates: unknown[] = []
  socket.on('list_update', (update) => updates.push(update))
  const address = `${booted.url}/socket.io/?EIO=4&transport=polling&sid=${socket.io.engine.id}`
  const notified = new Promise<void>((resolve) => {
    const stop = booted.accounts.sessions.onRevoked(({ user }) => {
      if (user !== email) return
      stop()
      resolve()
    })
  })
  await remove(row)
  await notified
  const response = await fetch(address, {
    method: 'POST',
    headers: { cookie: browser.cookieHeader() },
    body: `42/localhost,${JSON.stringify(['doctype_subscribe', 'Server'])}`,
  })
  await touch()
  await ended
  expect(response.status).toBe(200)
  expect(updates).toEqual([])
})

const change = (doctype: string, name: string, values: Record<string, unknown>) =>
  booted.documents.transaction(booted.system, (tx) => tx.update(doctype, name, values))

it('changes of an account and of its rows are sent only to those who can read them when they happen', async () => {
  const [watcher, leaver] = [await colleague('watcher'), await colleague('leaver')]
  const [socket, own] = [await dialer.connected(watcher.browser), await dialer.connected(leaver.browser)]
  for (const one of [socket, own]) {
    for (const doctype of ['User', 'User Meta']) one.emit('doc_subscribe', doctype, leaver.email)
    await untilProcessed(one)
  }
  const watched = (act: () => Promise<unknown>) => eventsDuring(booted, socket, watcher.email, 'doc_update', act)
  const renamed = (first_name: string) => change(UserDoctype.name, leaver.email, { first_name })
  expect(await watched(() => renamed('Colleague'))).toMatchObject([{ doctype: 'User', name: leaver.email }])
  const changed = () => change('User Meta', leaver.email, { github_username: `g${Math.random()}` })
  const ofMeta = expect.objectContaining({ doctype: 'User Meta', name: leaver.email }) as unknown
  expect(await eventsDuring(booted, own, leaver.email, 'doc_update', changed)).toContainEqual(ofMeta)
  expect(await watched(changed)).toEqual([])
  await remove(leaver.row)
  expect((await watcher.browser.fetch(`/api/resource/User/${leaver.email}`)).status).toBe(404)
  expect(await watched(() => renamed('Stranger'))).toEqual([])
})

it('viewers are shown to those who can read the document, and are those who can', async () => {
  const [member, manager] = [await colleague('member', 'Organization User'), await colleague('viewer')]
  await change('Server', server, { server_category: 'development' })
  const [one, two] = [await dialer.connected(member.browser), await dialer.connected(manager.browser)]
  one.emit('doc_open', 'Server', server)
  await untilProcessed(one)
  const seen = next(one, 'doc_viewers')
  two.emit('doc_open', 'Server', server)
  expect(await seen).toMatchObject({ docname: server })
  await change('Server', server, { server_category: 'production' })
  const owner = await dialer.connected(await booted.signedIn('owner@acme.example'))
  const open = async () => {
    const viewers = next(two, 'doc_viewers')
    owner.emit('doc_open', 'Server', server)
    expect((await viewers)['users']).toEqual(expect.not.arrayContaining([member.email]))
  }
  expect(await eventsDuring(booted, one, member.email, 'doc_viewers', open)).toEqual([])
  // Out of the room: the right alone does not bring it back.
  await change('Server', server, { server_category: 'development' })
  owner.emit('doc_close', 'Server', server)
  expect(await eventsDuring(booted, one, member.email, 'doc_viewers', open)).toEqual([])
})
