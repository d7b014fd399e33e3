import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
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

test('a state that is back in part keeps visitors out and refuses statements until it is whole', async () => {
  await write(titled('whole'))
  const { undo: id } = await write(titled('cut off'))
  await t.setTraps('wp_fails=db import')
  await expect(undo(id)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await keepsOut()).toBe(true)
  await expect(write(titled('too early'))).rejects.toMatchObject({ code: 'conflict' })
  await t.setTraps()
  const again = await undo(id)
  expect([await title(), await keepsOut()]).toEqual(['whole', false])
  await undo(again.undo)
  expect(await title()).toBe('cut off')
})

test('what was cut off is completed by the next round, and a state is kept for a day', async () => {
  const { undo: id } = await write(titled('tended'))
  await t.setTraps('wp_fails=db import')
  await expect(undo(id)).rejects.toMatchObject({ code: 'unavailable' })
  await t.setTraps()
  await t.engine.host.sweepKept?.(t.server)
  expect([await title(), await keepsOut()]).toEqual(['cut off', false])
  const [next = ''] = (await readFile(join(folder(), 'note'), 'utf8')).split(' ')
  await t.engine.host.sweepKept?.(t.server)
  expect(await kept()).toEqual(['dump.sql', 'note'])
  const old = new Date(Date.now() - 86_500_000)
  await utimes(join(folder(), 'dump.sql'), old, old)
  await t.engine.host.sweepKept?.(t.server)
  expect(await kept()).toEqual([])
  await expect(undo(next)).rejects.toMatchObject({ code: 'not_found' })
})

test('a statement that does not fit into a command is refused before anything is sent', async () => {
  const long = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join(
    '',
  )
  await expect(write(titled(long))).rejects.toMatchObject({ code: 'invalid' })
})

test('nothing of it is left of a site that is deleted', async () => {
  await write(titled('secret-word'))
  await writeFile(join(folder(), 'now.sql'), '')
  await t.engine.destroy(site)
  expect(await readdir(join(t.root, 'var/lib/easydash/statements'))).toEqual([])
  expect(await t.violations()).toEqual([])
})
