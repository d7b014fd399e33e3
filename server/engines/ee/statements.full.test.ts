import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, rmdir, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '../engine.ts'

let t: EeServer
let site: SiteSpec
beforeAll(async () => {
  t = await startEeServer()
  site = await t.create({ siteType: 'wp' })
}, 120_000)
afterAll(() => t?.end())

const titled = (text: string) => `UPDATE wp_options SET option_value = '${text}' WHERE option_name = 'blogname'`
const write = (sql: string) => t.engine.database.write(site, sql)
const undo = (id: string | null, anyway = false) => t.engine.database.undo(site, id ?? '', anyway)
const title = async () => {
  const sql = "SELECT option_value FROM wp_options WHERE option_name = 'blogname'"
  return (await t.engine.database.query(site, sql))?.rows[0]?.[0]?.text
}
const folder = () => join(t.root, 'var/lib/easydash/statements', site.domain)
const kept = async () => (await readdir(folder()).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1))
const maintenance = () => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs/.maintenance')
const keepsOut = () =>
  stat(maintenance()).then(
    () => true,
    () => false,
  )

test('what changes nothing, and what fails, leaves nothing behind', async () => {
  expect(await write("UPDATE wp_options SET option_value = 'x' WHERE option_id = 0")).toMatchObject({
    affected: 0,
    undo: null,
  })
  await expect(write('UPDATE nothing SET a = 1')).rejects.toMatchObject({ code: 'invalid' })
  expect(await kept()).toEqual([])
})

test('a statement that failed can be undone if something changed, and is none to be undone if it did not begin', async () => {
  const { undo: first } = await write(titled('kept'))
  // What there is after a statement is not known: it counts as changed, as with visitors who write meanwhile.
  const inTheWay = join(folder(), 'now.sql')
  await mkdir(inTheWay)
  await expect(write('UPDATE nothing SET a = 1')).rejects.toMatchObject({ code: 'invalid' })
  expect(await readFile(join(folder(), 'note'), 'utf8')).toMatch(new RegExp(`^${first} `))
  const failed = await write('INSERT INTO wp_options SELECT * FROM wp_options')
  expect(failed).toMatchObject({ affected: null, undo: expect.any(String), error: expect.stringContaining('refused') })
  await rmdir(inTheWay)
  await undo(failed.undo, true)
  expect(await title()).toBe('kept')
})

test('one state is kept, and put back with no word about it if nobody wrote since', async () => {
  const first = await write(titled('first'))
  const { undo: id } = await write(titled('second'))
  await expect(undo(first.undo, true)).rejects.toMatchObject({ code: 'not_found' })
  expect(await undo(id)).toEqual({ undo: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(await title()).toBe('first')
  expect(await kept()).toEqual(['dump.sql', 'note'])
  expect((await stat(join(folder(), 'dump.sql'))).mode & 0o077).toBe(0)
  expect(await keepsOut()).toBe(false)
})

test('a state is put back after later changes only if that is wanted', async () => {
  await write(titled('before'))
  const { undo: id } = await write(titled('after'))
  await t.engine.wordpress.change(site, {
    ...{ kind: 'add_user', login: 'nora', email: 'nora@example.com', role: 'editor' },
  })
  await expect(undo(id)).rejects.toMatchObject({ code: 'conflict' })
  expect([await title(), await keepsOut()]).toEqual(['after', false])
  await undo(id, true)
  expect(await title()).toBe('before')
})

test('a statement whose state before cannot be kept does not run', async () => {
  const before = await title()
  await t.setTraps('wp_fails=db export')
  await expect(write(titled('never'))).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The state before the change could not be kept, so nothing was changed.',
  })
  await t.setTraps()
  expect(await title()).toBe(before)
})

/** Changes fields of the note: ID DIGEST STAGE NEXT BACK SUM SITE WORKDIR. */
const rewrite = async (...changes: readonly (readonly [at: number, to: string])[]) => {
  const fields = (await readFile(join(folder(), 'note'), 'utf8')).trim().split(' ')
  for (const [at, to] of changes) fields[at] = to
  await writeFile(join(folder(), 'note'), `${fields.join(' ')}\n`)
}
const next = '0123456789abcdef'
/** As if the server had stopped while a state was put back: the database is empty in part. */
const cutOff = async (stage: 'closing' | 'restoring') => {
  await copyFile(join(folder(), 'dump.sql'), join(folder(), 'before.sql'))
  await rewrite([2, stage], [3, next])
  await writeFile(maintenance(), `<?php $upgrading = ${Math.floor(Date.now() / 1000)};`)
}
const tend = () => t.engine.host.sweepKept?.(t.server)

test('a state that can be put back neither way keeps visitors out and refuses statements until it can', async () => {
  await write(titled('whole'))
  const { undo: id } = await write(titled('cut off'))
  await t.setTraps('wp_fails=db import')
  await expect(undo(id)).rejects.toMatchObject({ code: 'unavailable' })
  // WordPress lets visitors in by itself after ten minutes: the time is no expression.
  expect(await readFile(maintenance(), 'utf8')).toMatch(/^<\?php \$upgrading = \d{10};$/m)
  await expect(write(titled('too early'))).rejects.toMatchObject({ code: 'conflict' })
  await t.setTraps()
  const again = await undo(id)
  expect([await title(), await keepsOut()]).toEqual(['whole', false])
  await undo(again.undo)
  expect(await title()).toBe('cut off')
})

test('a state that cannot be put back leaves the database as it was, and open', async () => {
  const { undo: id } = await write(titled('stays'))
  // As intact as its digest says, and nothing that MySQL takes.
  const text = 'You must not see this.\n'
  await writeFile(join(folder(), 'dump.sql'), `${text}-- Dump completed\n`)
  await rewrite([5, createHash('sha256').update(text).digest('hex')])
  await expect(undo(id)).rejects.toThrow('could not be put back')
  expect([await title(), await keepsOut()]).toEqual(['stays', false])
  expect(await write(titled('goes on'))).toMatchObject({ affected: 1 })
})

test('a dump that is damaged or missing is never put in place of the database', async () => {
  const { undo: id } = await write(titled('mine'))
  await truncate(join(folder(), 'dump.sql'), 400)
  await expect(undo(id)).rejects.toThrow('is damaged')
  await expect(undo(id)).rejects.toMatchObject({ code: 'not_found' })
  expect([await title(), await keepsOut()]).toEqual(['mine', false])
  for (const damage of [(file: string) => truncate(file, 400), rm]) {
    await write(titled('before'))
    await write(titled('here'))
    await cutOff('restoring')
    await damage(join(folder(), 'dump.sql'))
    await tend()
    // What was there before it was put back: here a copy of the state before.
    expect([await title(), await keepsOut()]).toEqual(['before', false])
  }
})

test('what was cut off is completed by the next round, and a state is kept for a day', async () => {
  await write(titled('tended'))
  await write(titled('then'))
  await cutOff('restoring')
  await tend()
  expect([await title(), await keepsOut()]).toEqual(['tended', false])
  await tend()
  expect(await kept()).toEqual(['dump.sql', 'note'])
  const old = new Date(Date.now() - 86_500_000)
  await utimes(join(folder(), 'dump.sql'), old, old)
  await tend()
  expect(await kept()).toEqual([])
  await expect(undo(next)).rejects.toMatchObject({ code: 'not_found' })
})

test('visitors come in again if the server stopped before anything was put back', async () => {
  const { undo: id } = await write(titled('closed'))
  await cutOff('closing')
  await tend()
  expect([await title(), await keepsOut()]).toEqual(['closed', false])
  await cutOff('closing')
  expect(await undo(id)).toEqual({ undo: next })
  expect(await keepsOut()).toBe(false)
})

test('what another site of the same domain left is not put in place of this one', async () => {
  await write(titled('before'))
  const { undo: id } = await write(titled('this one'))
  await cutOff('restoring')
  await rewrite([6, 'siteanother'])
  await expect(undo(id)).rejects.toMatchObject({ code: 'not_found' })
  await tend()
  expect([await title(), await kept()]).toEqual(['this one', []])
  await rm(maintenance())
})

test('asking again for what is under way, or was done, gives its end', async () => {
  await write(titled('once'))
  const { undo: id } = await write(titled('twice'))
  const [first, second] = await Promise.all([undo(id), undo(id)])
  expect(second).toEqual(first)
  expect(await undo(id, true)).toEqual(first)
  expect(await title()).toBe('once')
  await write(titled('later'))
  await expect(undo(id, true)).rejects.toMatchObject({ code: 'not_found' })
})

test('what a site puts in place of the file that keeps visitors out holds up nothing', async () => {
  await write(titled('later'))
  const { undo: id } = await write(titled('in the way'))
  await mkdir(join(maintenance(), 'more'), { recursive: true })
  await undo(id)
  expect([await title(), await keepsOut()]).toEqual(['later', false])
})

const long = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join('')

test('a statement that does not fit into a command is refused before anything is sent', async () => {
  await expect(write(titled(long))).rejects.toMatchObject({ code: 'invalid' })
})

test('PHP code: whatever it prints is bounded, and its time, too', async () => {
  const php = (code: string) => t.engine.console.runPhp(site, code, { safe: false })
  const past = String.raw`fwrite(STDOUT, str_repeat('easydash-result:e30=\nended:7\n', 200000));`
  expect(await php(`${past}\necho 'printed';`)).toMatchObject({ output: 'printed', error: null, cut: false })
  expect(await php(`echo '${'x'.repeat(20_001)}';`)).toMatchObject({ output: 'x'.repeat(20_000), cut: true })
  expect(await php("return '\u{2028}ended:0';")).toMatchObject({ value: '\u{2028}ended:0' })
  await expect(php('sleep(40);')).rejects.toMatchObject({ message: expect.stringContaining('30 seconds') })
  await expect(php(long)).rejects.toMatchObject({ code: 'invalid' })
})

test('nothing of it is left of a site that is deleted', async () => {
  await write(titled('secret-word'))
  await writeFile(join(folder(), 'now.sql'), '')
  await t.engine.destroy(site)
  expect(await readdir(join(t.root, 'var/lib/easydash/statements'))).toEqual([])
  expect(await t.violations()).toEqual([])
})
