import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { ConsoleRun, SqlResult } from '#shared/responses/site-console.ts'
import { expireConsoleRuns } from './expire-runs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let site: Site
let owner: Session
const run = (action: string, args: Record<string, unknown> = {}) => t.act(site.name, action, args, owner)
const runs = async () => (await run('console_runs')) as unknown as ConsoleRun[]
const entries = (action: string) =>
  t.running.documents.transaction(systemSession(), (tx) =>
    tx.list('Activity', [
      ['action', '=', action],
      ['reference_name', '=', site.name],
    ]),
  )
const secret = 'correct-horse-9'

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('consoles')
  owner = { ...t.owner, reauthAt: Date.now() }
})
afterAll(() => t?.close())

test('a statement that reads runs at once, and is recorded without its values', async () => {
  const sql = `SELECT user_login FROM wp_users WHERE user_pass <> '${secret}'`
  const result = (await run('run_sql', { sql })) as unknown as SqlResult
  expect(result).toMatchObject({ columns: ['user_login'], affected: null, undo: null })
  const [entry] = await entries('Site.run_sql')
  expect(entry).toMatchObject({ result: 'Done', detail: 'SELECT wp_users' })
  expect(JSON.stringify(entry)).not.toContain(secret)
  expect((await runs())[0]).toMatchObject({ kind: 'sql', state: 'Done', characters: sql.length, user: owner.user })
})

test('a statement that writes needs a confirmation, also one that only seems to read', async () => {
  const before = (await entries('Site.run_sql')).length
  const refusal = { code: 'invalid', field: 'confirmed' }
  expect(await rejectionOf(run('run_sql', { sql: 'DELETE FROM wp_posts' }))).toMatchObject(refusal)
  expect((await entries('Site.run_sql')).length).toBe(before)
  const disguised = 'WITH gone AS (SELECT 1) DELETE FROM wp_posts'
  expect(await rejectionOf(run('run_sql', { sql: disguised }))).toMatchObject(refusal)
  expect(await run('run_sql', { sql: 'SELECT count(*) AS n FROM wp_posts' })).toMatchObject({ rows: [[{ text: '2' }]] })
})

test('what a confirmed statement changed can be undone', async () => {
  const sql = `UPDATE wp_posts SET post_content = '${secret}'`
  const written = (await run('run_sql', { sql, confirmed: 1 })) as unknown as SqlResult
  expect(written).toMatchObject({ affected: 2 })
  expect((await entries('Site.run_sql')).map(({ detail }) => detail)).toContain('UPDATE wp_posts')
  await run('undo_sql', { undo: written.undo })
  const count = `SELECT count(*) AS n FROM wp_posts WHERE post_content = '${secret}'`
  expect(await run('run_sql', { sql: count })).toMatchObject({ rows: [[{ text: '0' }]] })
  const gone = await rejectionOf(run('undo_sql', { undo: written.undo }))
  expect(gone).toMatchObject({ code: 'conflict' })
  // Which is no question to be asked.
  expect(gone).not.toMatchObject({ field: 'anyway' })
  expect(await entries('Site.undo_sql')).toHaveLength(2)
})

test('WP-CLI needs a confirmation and a command that can be read; the log names it without its values', async () => {
  const command = `option get blogname`
  expect(await rejectionOf(run('run_wp', { command }))).toMatchObject({ code: 'invalid', field: 'confirmed' })
  for (const none of ["option get 'blog", 'wp', 'a '.repeat(101)])
    expect(await rejectionOf(run('run_wp', { command: none, confirmed: 1 }))).toMatchObject({ field: 'command' })
  expect(await run('run_wp', { command, confirmed: 1 })).toMatchObject({ code: 0, cut: false })
  const failing = `user update 1 --user_pass='${secret}'`
  expect(await run('run_wp', { command: failing, confirmed: 1 })).toMatchObject({ code: 1 })
  const logged = await entries('Site.run_wp')
  expect(new Set(logged.map(({ detail }) => detail))).toEqual(new Set(['option get', 'user update']))
  expect(JSON.stringify(logged)).not.toContain(secret)
  expect((await runs()).slice(0, 2)).toMatchObject([
    { kind: 'wp', state: 'Failed' },
    { kind: 'wp', code: command, state: 'Done' },
  ])
})

test('PHP needs a confirmation; its code is kept for admins, and is not in the activity log', async () => {
  const code = `echo '${secret}';`
  expect(await rejectionOf(run('run_php', { code }))).toMatchObject({ code: 'invalid', field: 'confirmed' })
  expect(await run('run_php', { code, confirmed: 1 })).toMatchObject({ output: secret, error: null })
  expect(await run('run_php', { code: 'no php', confirmed: 1 })).toMatchObject({ error: { line: 1 } })
  const logged = await entries('Site.run_php')
  expect(logged).toHaveLength(2)
  expect(JSON.stringify(logged)).not.toContain(secret)
  expect(await runs()).toMatchObject([
    { kind: 'php', code: 'no php', state: 'Failed' },
    { kind: 'php', code, state: 'Done' },
    ...Array.from({ length: (await runs()).length - 2 }, () => ({
      kind: expect.stringMatching(/^(?:sql|wp)$/) as string,
    })),
  ])
})

test('no table holds what was run in clear, also while it runs', async () => {
  const marker = 'zebra-crossing-at-noon'
  const held = Promise.withResolvers<void>()
  const original = t.engine.console.runPhp
  const spy = vi.spyOn(t.engine.console, 'runPhp')
  spy.mockImplementation((...given) => held.promise.then(() => original(...given)))
  const php = run('run_php', { code: `echo '${marker}';`, confirmed: 1 })
  await expect.poll(async () => (await runs())[0]).toMatchObject({ state: 'Running', code: `echo '${marker}';` })
  expect(await tablesWith(marker)).toEqual([])
  held.resolve()
  await php
  spy.mockRestore()
  await run('run_sql', { sql: `SELECT user_login FROM wp_users WHERE user_login = '${marker}'` })
  expect((await runs())[0]?.code).toContain(marker)
  expect(await tablesWith(marker)).toEqual([])
  // The search finds what is there.
  expect(await tablesWith('consoles')).toContain('public.tab_site')
})

/** All tables of the database that have a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  return t.running.documents.transaction(systemSession(), async ({ trx }) => {
    const { rows } = await sql<{ schema: string; name: string }>`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(trx)
    const found: string[] = []
    for (const { schema, name } of rows) {
      const table = sql.table(`${schema}.${name}`)
      const hits = await sql`select 1 from ${table} as one where one::text like ${`%${text}%`} limit 1`.execute(trx)
      if (hits.rows.length > 0) found.push(`${schema}.${name}`)
    }
    return found
  }) as Promise<string[]>
}

test('without a fresh password nothing runs', async () => {
  for (const [action, args] of [
    ['run_sql', { sql: 'SELECT 1 AS n' }],
    ['undo_sql', { undo: 'x' }],
    ['run_php', { code: "echo 'a';", confirmed: 1 }],
    ['run_wp', { command: 'plugin list', confirmed: 1 }],
    ['console_runs', {}],
  ] as const)
    expect(await rejectionOf(t.act(site.name, action, args, { ...owner, reauthAt: null }))).toMatchObject({
      code: 'forbidden',
      field: 'password',
    })
})

test('old runs are forgotten, also if nothing is run on the site any more', async () => {
  await run('run_sql', { sql: 'SELECT 1' })
  const [recent] = await runs()
  await t.running.documents.transaction(systemSession(), (tx) =>
    sql`update easydash_site_console set started = started - interval '91 days' where id <> ${recent?.id}`.execute(
      tx.trx,
    ),
  )
  expect((await runs()).length).toBeGreaterThan(1)
  await expireConsoleRuns(t.deps)
  expect((await runs()).map(({ id }) => id)).toEqual([recent?.id])
})
