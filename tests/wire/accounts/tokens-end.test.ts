import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { sdkError, type Browser } from '../browser.ts'
import { openTokenFixture, type TokenFixture } from './token-fixture.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

let t: TokenFixture
beforeAll(async () => {
  t = await openTokenFixture()
})
afterEach(() => t.closeSockets())
afterAll(() => t.booted.close())

describe('the end of a token', () => {
  it('is seen and made by its maker and by admins only', async () => {
    const own = await t.make(t.member, { scopes: ['sites:read'] })
    const theirs = await t.make(t.owner, { scopes: ['sites:read'] })
    const names = async (browser: Browser) =>
      (await browser.app.db().getDocList('API Token', { limit: 200 })).map((row) => row['name'])
    expect(await names(t.member)).toEqual([own.name])
    expect(await names(t.owner)).toEqual(expect.arrayContaining([own.name, theirs.name]))
    const revoke = (browser: Browser, name: string) => browser.app.call().post('easydash.api.tokens.revoke', { name })
    expect((await sdkError(revoke(t.member, theirs.name))).httpStatus).toBe(403)
    const stranger = await t.booted.signedIn('owner@globex.example')
    expect((await sdkError(revoke(stranger, theirs.name))).httpStatus).toBe(404)
    await revoke(t.owner, own.name)
    expect((await t.call(`token ${own.token}`, '/api/method/ping')).status).toBe(401)
    await t.owner.app.db().deleteDoc('API Token', theirs.name)
    expect((await t.call(`token ${theirs.token}`, '/api/method/ping')).status).toBe(401)
  })

  it('comes when the creator leaves, and stays when they rejoin', async () => {
    const manager = await t.booted.signedIn('manager@acme.example')
    const { token } = await t.make(manager, { scopes: ['sites:read'] })
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(200)
    await t.inSystem(async (tx) => {
      const row = await tx.find(OrganizationMemberDoctype, [['user', '=', 'manager@acme.example']])
      await tx.delete(OrganizationMemberDoctype, String(row?.name))
    })
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(401)
    await t.join('acme', 'manager@acme.example', 'Organization Manager')
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(401)
  })

  it('closes its sockets, here and in another process, and no others', async () => {
    const another = await t.booted.another()
    try {
      const { token, name } = await t.make(t.owner, { scopes: ['sites:read'] })
      const { token: kept } = await t.make(t.owner, { scopes: ['sites:read'] })
      const here = await t.dial(`token ${token}`, t.booted.port)
      const there = await t.dial(`Bearer ${token}`, another.port)
      const stays = await t.dial(`token ${kept}`, t.booted.port)
      const ended = [here, there].map((socket) => new Promise((resolve) => socket.once('disconnect', resolve)))
      await t.owner.app.call().post('easydash.api.tokens.revoke', { name })
      await Promise.all(ended)
      expect(stays.connected).toBe(true)
      await expect(t.dial(`token ${token}`, t.booted.port)).rejects.toThrow('Unauthorized')
    } finally {
      await another.wire.close()
    }
  })

  it('ends what runs at that moment, too: the gate asks for the token itself', async () => {
    const { token, name } = await t.make(t.owner, { scopes: ['sites:write'] })
    const session = await t.booted.accounts.sessions.resolveAuthorization(`token ${token}`, '198.51.100.7')
    if (!session) throw new Error('The token is not valid.')
    const { documents } = t.booted
    expect(await documents.list(session, 'Site', {})).toEqual([{ name: t.site }])
    await t.owner.app.call().post('easydash.api.tokens.revoke', { name })
    await expect(documents.list(session, 'Site', {})).rejects.toMatchObject({ code: 'forbidden' })
    await expect(documents.save(session, 'Site', t.site, {})).rejects.toMatchObject({ code: 'not_found' })
  })

  it('comes with the end of the account, sockets included', async () => {
    await t.booted.person('tim@acme.example')
    await t.join('acme', 'tim@acme.example', 'Organization User')
    const { token } = await t.make(await t.booted.signedIn('tim@acme.example'), { scopes: ['sites:read'] })
    const socket = await t.dial(`token ${token}`, t.booted.port)
    const closed = new Promise((resolve) => socket.once('disconnect', resolve))
    await t.inSystem((tx) => tx.update(UserDoctype, 'tim@acme.example', { enabled: 0 }))
    await closed
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(401)
    await t.inSystem((tx) => tx.update(UserDoctype, 'tim@acme.example', { enabled: 1 }))
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(200)
  })

  it('comes at its time, sockets included', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const end = Date.now() + 3_600_000
    const expires = new Date(end).toISOString().slice(0, 23).replace('T', ' ')
    const { token, name } = await t.make(t.owner, { scopes: ['sites:read'], expires })
    const socket = await t.dial(`token ${token}`, t.booted.port)
    const closed = new Promise((resolve) => socket.once('disconnect', resolve))
    const [onEnd] = timers.mock.calls.find(([, ms = 0]) => ms > 1_800_000 && ms <= 3_600_000) ?? []
    timers.mockRestore()
    await t.booted.database.pool.query(`update tab_api_token set expires = now() at time zone 'utc' where name = $1`, [
      name,
    ])
    const clock = vi.spyOn(Date, 'now').mockReturnValue(end)
    onEnd?.()
    clock.mockRestore()
    await closed
    expect((await t.call(`token ${token}`, '/api/method/ping')).status).toBe(401)
  })

  it('subscribes by scope', async () => {
    const { token } = await t.make(t.owner, { scopes: ['sites:read'] })
    const socket = await t.dial(`token ${token}`, t.booted.port)
    const seen: string[] = []
    socket.on('doc_update', ({ doctype }: { doctype: string }) => seen.push(doctype))
    socket.emit('doc_subscribe', 'Server', t.server)
    socket.emit('doc_subscribe', 'Site', t.site)
    await new Promise((resolve) => socket.emit('ping', resolve) && socket.once('pong', resolve))
    // Subscriptions are not acknowledged: change both documents until the event arrives.
    while (!seen.includes('Site')) {
      await t.inSystem((tx) =>
        tx.update(ServerDoctype, t.server, { hostname: `h${Math.random()}.acme.test`.replace('0.', '') }),
      )
      await t.inSystem((tx) => tx.update(SiteDoctype, t.site, { disk_used: Math.random() }))
    }
    expect(seen).not.toContain('Server')
  })
})

describe('the tokens of one person', () => {
  it('are fifty at the most, also when many are made at once', async () => {
    const admin = await t.booted.signedIn('admin@acme.example')
    const values = { organization: 'acme', user: 'admin@acme.example', role: 'Organization User', title: 'x' }
    await t.inSystem(async (tx) => {
      for (let n = 0; n < 48; n += 1) {
        const key = { api_key: `made${n}made${n}`, secret_hash: 'x', scopes: ['sites:read'] }
        await tx.insert('API Token', { ...values, ...key })
      }
    })
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => t.make(admin, { scopes: ['sites:read'] })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect((await sdkError(t.make(admin, { scopes: ['sites:read'] }))).httpStatus).toBe(417)
  })
})
