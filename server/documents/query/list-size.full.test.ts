import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import { maxListBytes } from './list-size.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
const rows = 500
const each = 40_000

/** The pool's connections, with the number of bytes received. */
const clients: { connection: { stream: { bytesRead: number } } }[] = []

beforeAll(async () => {
  t = await createTestDocuments({ extra: [GadgetDoctype] })
  t.test.database.pool.on('connect', (client) => clients.push(client as unknown as (typeof clients)[number]))
  await t.organization('acme')
  // 20 MB in total, of random text that doesn't compress, so that the measured size is the size sent.
  await sql`insert into tab_gadget (name, owner, creation, modified, modified_by, organization, label, size, extra)
    select 'g' || lpad(n::text, 9, '0'), 'owner@acme.example', now() + make_interval(secs => n), now(), 'owner@acme.example', 'acme', 'n' || n, n % 10,
      jsonb_build_object('text', (select string_agg(md5(n::text || k::text), '') from generate_series(1, ${each} / 32) k))
    from generate_series(1, ${rows}) n`.execute(t.test.database.db)
})
afterAll(() => t?.close())

const list = (query: Record<string, unknown>) => t.documents.list(owner, 'Gadget', query)
const tooLarge = {
  code: 'limit_reached',
  message: expect.stringContaining('4 MB') as string,
  nextAction: { text: expect.stringContaining('fewer fields') as string },
}

describe('an answer of a list', () => {
  test('is at most 4 MB, and says what to do', async () => {
    await expect(list({ fields: ['name', 'extra'], limit: 0 })).rejects.toMatchObject(tooLarge)
    await expect(list({ fields: ['*'], limit: 0 })).rejects.toMatchObject(tooLarge)
    expect(await list({ fields: ['name', 'extra'], limit: 90 })).toHaveLength(90)
    expect(await list({ fields: ['name', 'label'], limit: 0 })).toHaveLength(rows)
  })

  test('has its rows in their order, with and without the measure', async () => {
    const ask = (fields: string[]) => list({ fields, order_by: 'size desc, label asc', limit: 60 })
    const [plain, measured] = await Promise.all([ask(['name']), ask(['name', 'extra'])])
    expect(measured.map(({ name }) => name)).toEqual(plain.map(({ name }) => name))
    expect(Object.keys(measured[0] ?? {})).toEqual(['name', 'extra'])
    const paged = await list({
      fields: ['name', 'extra'],
      limit_start: 20,
      limit: 10,
      order_by: 'size desc, label asc',
    })
    expect(paged.map(({ name }) => name)).toEqual(plain.slice(20, 30).map(({ name }) => name))
  })

  test('is measured as it is sent: what shrinks in the database does not count less', async () => {
    const { db } = t.test.database
    await t.organization('globex')
    await sql`insert into tab_gadget (name, owner, creation, modified, modified_by, organization, label, extra)
      select 'z' || lpad(n::text, 9, '0'), 'owner@globex.example', now(), now(), 'owner@globex.example', 'globex', 'n',
        jsonb_build_object('text', repeat(chr(1), 12000)) from generate_series(1, 100) n`.execute(db)
    const there = sessionOf('owner@globex.example', 'globex')
    // 1.2 MB of a character that JSON escapes with six.
    await expect(t.documents.list(there, 'Gadget', { fields: ['name', 'extra'], limit: 0 })).rejects.toMatchObject(
      tooLarge,
    )
    const some = await t.documents.list(there, 'Gadget', { fields: ['name', 'extra'], limit: 50 })
    expect(JSON.stringify(some).length).toBeLessThanOrEqual(maxListBytes)
  })

  test('is not read to its end', async () => {
    const { pool } = t.test.database
    const received = () => clients.reduce((sum, client) => sum + client.connection.stream.bytesRead, 0)
    const before = received()
    await expect(list({ fields: ['name', 'extra'], limit: 0 })).rejects.toMatchObject(tooLarge)
    expect(received() - before).toBeLessThan(maxListBytes * 1.1)
    // The connection stays usable.
    expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  })
})
