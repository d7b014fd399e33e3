import { readdir, rm, writeFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startRestoreFixture, type RestoreFixture } from '#tests/support/ee-restores.ts'

let f: RestoreFixture

/** A table as a dump has it. */
const orders = (...what: readonly string[]) =>
  `CREATE TABLE \`wp_orders\` (\n  \`what\` text\n) ENGINE=InnoDB;\nINSERT INTO \`wp_orders\` VALUES\n${what.map((one) => `('${one}')`).join(',\n')};`
const url = 'http://tables.example.com/two'

beforeAll(async () => {
  f = await startRestoreFixture({ id: 'tables0001', domain: 'tables.example.com' }, async ({ change, write }) => {
    await change(
      (state) =>
        void (state.tables = {
          wp_orders: orders('one', url),
          wp_gone: orders('x').replaceAll('wp_orders', 'wp_gone'),
        }),
    )
    await write('note.txt', 'kept')
  })
}, 600_000)
afterEach(() => f.t.setTraps())
afterAll(() => f?.t.end())

const change = async () => {
  await f.write('note.txt', 'changed')
  await f.change(({ options, tables = {} }) => {
    options['blogname'] = 'Changed'
    tables['wp_orders'] = orders('changed')
    delete tables['wp_gone']
  })
}
const changed = ['changed', 'Changed', orders('changed'), null]
const restored = ['kept', 'Changed', orders('one', url), orders('x').replaceAll('wp_orders', 'wp_gone')]
const parts = { paths: ['note.txt'], tables: ['wp_orders', 'wp_gone'] }
const content = async () => {
  let state: Parameters<Parameters<RestoreFixture['change']>[0]>[0] = { options: {} }
  await f.change((now) => void (state = now))
  return state
}
const seen = async () => {
  const { options, tables = {} } = await content()
  return [await f.read('note.txt'), options['blogname'], tables['wp_orders'] ?? null, tables['wp_gone'] ?? null]
}
/** Tables that a restore left beside those of the site. */
const left = async () => Object.keys((await content()).tables ?? {}).filter((name) => name.startsWith('easydash'))
const engine = () => f.t.engine.restores

test('tables get their state of the backup, everything else stays, and all of it comes back', async () => {
  await change()
  await f.runAs('tables', f.restore(parts))
  expect((await left()).length).toBeGreaterThan(0)
  for (let run = 0; run < 2; run += 1) await engine().finishRestore(f.site)
  expect([await seen(), await left()]).toEqual([restored, []])
  expect((await f.t.engine.request(f.site, '/')).status).toBe(200)
  for (const back of ['stopped', 'tables-back']) {
    await f.runAs(back, engine().bringBackSteps(f.site))
    expect(await seen()).toEqual(changed)
    if (back !== 'stopped') continue
    expect(await engine().undoRestore(f.site, back)).toBe('undone')
    expect([await seen(), await left()]).toEqual([restored, []])
  }
  await engine().finishRestore(f.site)
  expect([await seen(), await left()]).toEqual([changed, []])
  expect(await f.t.violations()).toEqual([])
}, 600_000)

test('a restore of tables that was stopped or killed anywhere is taken back', async () => {
  await change()
  const steps = () => f.restore(parts)
  for (let done = 1; done <= steps().length; done += 1) {
    await f.runAs('stopped', steps().slice(0, done))
    expect(await engine().undoRestore(f.site, 'stopped')).toBe('undone')
    expect([done, await seen(), await left()]).toEqual([done, changed, []])
  }
  // The tables were swapped, those before were not kept yet, and nobody noted it: it goes on, or is taken back.
  for (const goesOn of [true, false]) {
    await f.runAs('killed', steps())
    await writeFile(f.inPlace('state'), 'killed restore parts swapping\n')
    await rm(f.inPlace('prev/tables.sql.gz'))
    if (goesOn) await f.runAs('killed', steps())
    expect(await readdir(f.inPlace('prev')).then((names) => names.includes('tables.sql.gz'))).toBe(goesOn)
    expect(await engine().undoRestore(f.site, 'killed')).toBe('undone')
    expect([await seen(), await left()]).toEqual([changed, []])
  }
  // Before the swap, what fails changes nothing; while it goes on, it is taken back.
  for (const trap of ['db import', 'db query', 'db export']) {
    await f.t.setTraps(`wp_fails=${trap}`)
    await expect(f.runAs('broken', steps())).rejects.toMatchObject({ code: 'unavailable' })
    await f.t.setTraps()
    expect(await engine().undoRestore(f.site, 'broken')).toBe('undone')
    expect([trap, await seen(), await left()]).toEqual([trap, changed, []])
  }
}, 600_000)

test('a table that is not in the backup, or that foreign keys refer to, is not restored alone', async () => {
  await change()
  for (const what of [
    { paths: ['note.txt'], tables: ['wp_orders', 'wp_unknown'] },
    { paths: ['note.txt', 'unknown'], tables: ['wp_orders'] },
  ]) {
    await expect(f.runAs('unknown', f.restore(what))).rejects.toMatchObject({ code: 'invalid' })
    expect(await engine().undoRestore(f.site, 'unknown')).toBe('undone')
    expect([await seen(), await left()]).toEqual([changed, []])
  }
  const key = 'CONSTRAINT `k` FOREIGN KEY (`a`) REFERENCES `wp_orders` (`what`)'
  await f.change(
    ({ tables = {} }) => void (tables['wp_notes'] = `CREATE TABLE \`wp_notes\` (\n  \`a\` text,\n  ${key}\n);`),
  )
  const before = await seen()
  await expect(f.runAs('keys', f.restore(parts))).rejects.toMatchObject({
    message: expect.stringContaining('wp_orders has foreign keys') as string,
  })
  expect(await engine().undoRestore(f.site, 'keys')).toBe('undone')
  expect([await seen(), await left()]).toEqual([before, []])
}, 600_000)
