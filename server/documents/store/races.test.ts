import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { accessContextIn } from '../permissions/gate.ts'
import { actorLock, lockRights } from './locks.ts'
import type { Session } from '#server/contracts/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { ApiTokenDoctype } from '#shared/doctypes/api-token.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')

/** Gates by gadget label: the write pauses inside, after the permission check. */
const gates = new Map<string, { reached: () => void; open: Promise<void> }>()

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Gadget',
        async validate(doc) {
          const gate = gates.get(String(doc['label']))
          gate?.reached()
          await gate?.open
        },
      },
    ],
  })
  await t.organization('acme')
})
afterAll(() => t?.close())

/** Work that pauses at a point until it is released. */
function pausedAt(label: string) {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  gates.set(label, { reached: arrived.resolve, open: released.promise })
  return { arrived: arrived.promise, go: released.resolve }
}

/** Resolves once a statement waits for a lock in this database, or when `work` settles without one. */
async function waitsForLock(work: Promise<unknown>): Promise<'waits' | 'done'> {
  let done = false
  const end = () => (done = true)
  work.then(end, end)
  for (;;) {
    const found = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(t.test.database.db)
    if (found.rows.length > 0) return 'waits'
    if (done) return 'done'
  }
}

/** A member (default: an admin) with their member row. */
async function person(user: string, role = 'Organization Admin'): Promise<{ session: Session; row: string }> {
  const session = await t.member('acme', user, role)
  const row = await t.documents.transaction(t.system, (tx) => tx.find(OrganizationMemberDoctype, [['user', '=', user]]))
  return { session, row: String((row as { name: string } | null)?.name) }
}

async function tokenOf(user: string, api_key: string): Promise<Session> {
  const values = { organization: 'acme', user, role: 'Organization Admin', title: 'x', api_key, secret_hash: 'x' }
  const { name } = await t.documents.transaction(t.system, (tx) =>
    tx.insert('API Token', { ...values, scopes: ['sites:write'] }),
  )
  const token = { name, organization: 'acme', role: 'Organization Admin', scopes: ['sites:write'] } as const
  return sessionOf(user, 'acme', { kind: 'token', token: { ...token, scopes: ['sites:write'] } })
}

describe('rights that end while a write is under way: the end waits, and no write follows', () => {
  const ends = [
    { what: 'removal', values: null },
    { what: 'demotion', values: { organization_role: 'Organization User' } },
  ]
  test.each(ends)('$what of the member', async ({ what, values }) => {
    const { session, row } = await person(`${what}@acme.example`)
    const { name } = await t.documents.insert(owner, 'Gadget', { label: what })
    const paused = pausedAt(`${what} now`)
    const write = t.documents.save(session, 'Gadget', name, { label: `${what} now` })
    await paused.arrived
    const end = t.documents.transaction(t.system, async (tx) => {
      await (values ? tx.update('Organization Member', row, values) : tx.delete(OrganizationMemberDoctype, row))
    })
    expect(await waitsForLock(end)).toBe('waits')
    paused.go()
    await Promise.all([write, end])
    expect(await t.documents.get(owner, 'Gadget', name)).toMatchObject({ label: `${what} now` })
    await expect(t.documents.save(session, 'Gadget', name, { label: 'after' })).rejects.toMatchObject({
      code: what === 'removal' ? 'not_found' : 'forbidden',
    })
  })

  test.each(['save', 'insert'])('a write that waited for the end does not have them: %s', async (what) => {
    const { session, row } = await person(`late-${what}@acme.example`)
    const { name } = await t.documents.insert(owner, 'Gadget', { label: what })
    let write: Promise<unknown> = Promise.resolve()
    await t.documents.transaction(t.system, async (tx) => {
      await tx.update('Organization Member', row, { organization_role: 'Organization User' })
      const values = { label: 'late' }
      write =
        what === 'save'
          ? t.documents.save(session, 'Gadget', name, values)
          : t.documents.insert(session, 'Gadget', values)
      expect(await waitsForLock(write)).toBe('waits')
    })
    await expect(write).rejects.toMatchObject({ code: 'forbidden' })
  })

  const grounds = [
    {
      what: 'the API token is revoked',
      async make(user: string) {
        const session = await tokenOf(user, 'key-of-race')
        const end = () =>
          t.documents.transaction(t.system, (tx) =>
            tx.update(ApiTokenDoctype, session.token?.name ?? '', { enabled: 0 }),
          )
        return { session, end }
      },
    },
    {
      what: 'the share is taken away',
      async make(user: string) {
        const share = { organization: 'acme', share_doctype: 'Site', share_name: 'some-site', user, read: 1, write: 1 }
        const { name } = await t.documents.transaction(t.system, (tx) => tx.insert('DocShare', share))
        const end = () => t.documents.transaction(t.system, (tx) => tx.delete(DocShareDoctype, name))
        return { session: sessionOf(user, 'acme'), end }
      },
    },
  ]
  test.each(grounds)('$what', async ({ what, make }) => {
    const { session } = await person(`${what.length}@acme.example`, 'Organization User')
    const made = await make(session.user)
    let ending: Promise<unknown> = Promise.resolve()
    await t.test.database.db.transaction().execute(async (trx) => {
      await lockRights(trx, 'acme', new Map([actorLock(made.session)]))
      expect((await accessContextIn(trx, made.session, 'acme')).roles).toContain('Organization User')
      ending = made.end()
      expect(await waitsForLock(ending)).toBe('waits')
    })
    await ending
  })

  test('a revoked token gives nothing from then on', async () => {
    await person('token@acme.example')
    const session = await tokenOf('token@acme.example', 'key-of-revoked')
    await t.documents.transaction(t.system, (tx) =>
      tx.update(ApiTokenDoctype, session.token?.name ?? '', { enabled: 0 }),
    )
    const accessContext = await accessContextIn(t.test.database.db, session, 'acme')
    expect(accessContext.roles).toEqual([])
  })
})

describe('two users run an action on the same document concurrently', () => {
  const codes = (results: PromiseSettledResult<unknown>[]) =>
    results.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason as { code: string }).code))
  const history = async (name: string) => {
    const entries = await t.documents.transaction(t.system, (tx) =>
      tx.list(ActivityDoctype, [['reference_name', '=', name]], { order_by: 'creation' }),
    )
    return entries.map(({ action }) => action?.split('.')[1])
  }

  test('a deletion during a write waits for it', async () => {
    const { name } = await t.documents.insert(owner, 'Gadget', { label: 'doomed' })
    const paused = pausedAt('doomed write')
    const write = t.documents.save(owner, 'Gadget', name, { label: 'doomed write' })
    await paused.arrived
    const deletion = t.documents.delete(owner, 'Gadget', name)
    expect(await waitsForLock(deletion)).toBe('waits')
    paused.go()
    expect(codes(await Promise.allSettled([write, deletion]))).toEqual(['ok', 'ok'])
    await expect(t.documents.get(owner, 'Gadget', name)).rejects.toMatchObject({ code: 'not_found' })
    expect(await history(name)).toEqual(['insert', 'update', 'delete'])
  })

  test('delete against write, in any order: a write that is late finds nothing and brings nothing back', async () => {
    for (let n = 0; n < 12; n += 1) {
      const { name } = await t.documents.insert(owner, 'Gadget', { label: `race ${n}` })
      const write = () => t.documents.save(owner, 'Gadget', name, { label: `raced ${n}` })
      const remove = () => t.documents.delete(owner, 'Gadget', name)
      const results = await Promise.allSettled(n % 2 === 0 ? [write(), remove()] : [remove(), write()])
      const [written, removed] = codes(n % 2 === 0 ? results : results.toReversed())
      expect(removed).toBe('ok')
      expect(['ok', 'not_found']).toContain(written)
      expect(await t.documents.count(owner, 'Gadget', { filters: { name } })).toBe(0)
      expect(await history(name)).toEqual(['insert', ...(written === 'ok' ? ['update'] : []), 'delete'])
    }
  })

  test('of two removals one succeeds, and it is on record once', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { name } = await t.documents.insert(owner, 'Gadget', { label: `twice ${n}` })
      const remove = () => t.documents.delete(owner, 'Gadget', name)
      expect(codes(await Promise.allSettled([remove(), remove(), remove()])).toSorted()).toEqual([
        'not_found',
        'not_found',
        'ok',
      ])
      expect(await history(name)).toEqual(['insert', 'delete'])
    }
  })

  test('of two writes that saw the same state one succeeds', async () => {
    const { name, modified } = await t.documents.insert(owner, 'Gadget', { label: 'seen' })
    const save = (size: number) => t.documents.save(owner, 'Gadget', name, { size, modified })
    const results = await Promise.allSettled([save(1), save(2), save(3)])
    expect(codes(results).toSorted()).toEqual(['conflict', 'conflict', 'ok'])
    const won = results.findIndex(({ status }) => status === 'fulfilled') + 1
    expect(await t.documents.get(owner, 'Gadget', name)).toMatchObject({ size: won })
  })
})
