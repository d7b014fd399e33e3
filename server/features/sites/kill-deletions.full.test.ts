import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { fingerprintOf, wwwOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { isLongRun } from '#tests/support/long-run.ts'
import { siteRef } from './engine-of.ts'

/**
 * kill -9 of the process while a plugin of a real site is deleted: after the restart the plugin and what its own routine
 * removes are gone, once; nothing else is changed, locked or left lying around.
 */

let t: LocalKills
let live: Site

beforeAll(async () => {
  t = await openLocalKills()
  live = await t.makeLive()
})
afterAll(() => t?.close())

const put = (path: string, content: string) =>
  t.now.fixture.engine.files.write(siteRef(live, thisMachine), path, content, null)
/** A page that answers with the number of times the routine of the plugin removed something. */
const counter = `<?php require __DIR__ . '/wp-load.php'; echo (int) get_option('routine_ran');`
const folder = 'wp-content/plugins/counted'

/** The short run has the one at which the routine ran already. */
const points = [...(isLongRun ? ['local.deletion/saved'] : []), 'local.deletion/removed']
const timesRun = async () => Number((await t.now.fixture.fetch(live, '/counter.php')).body)

test.each(points)('at %s', async (point) => {
  await t.now.fixture.engine.files.makeFolder(siteRef(live, thisMachine), folder)
  await put(`${folder}/counted.php`, '<?php /* Plugin Name: Counted */')
  await put(
    `${folder}/uninstall.php`,
    `<?php defined('WP_UNINSTALL_PLUGIN') || exit; update_option('routine_ran', (int) get_option('routine_ran') + 1);`,
  )
  await t.now.fixture.writeFile(siteRef(live, thisMachine), 'counter.php', counter)
  const ranBefore = await timesRun()
  const before = await fingerprintOf(t.now.fixture, live)

  const job = await t.killAt('site.delete_plugin', point, {
    name: live.name,
    action: 'set_plugin',
    args: { plugin: 'counted/counted.php', do: 'delete' },
  })
  expect([job.status, job.error_message]).toEqual(['Done', null])
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
  expect((await t.now.fixture.fetch(live, '/')).status).toBe(200)
  expect(await t.leftovers(live)).toEqual([])
  await expect(access(join(wwwOf(t.now.fixture, live), folder))).rejects.toThrow('ENOENT')
  expect(await timesRun()).toBe(ranBefore + 1)
  const after = await fingerprintOf(t.now.fixture, live)
  for (const [name, hash] of Object.entries(before))
    if (!name.startsWith(`/${folder}/`) && name !== 'options routine_ran')
      expect([name, after[name]]).toEqual([name, hash])
})
