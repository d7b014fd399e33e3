import { randomBytes } from 'node:crypto'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { ownDisk } from '#tests/support/own-disk.ts'

/*
 * The disk becomes really full before and in the middle of changes of a real WordPress: each ends done, or in the state before with the
 * reason, or Failed with a way out that works once there is room.
 */

const disk = ownDisk()
let t: LocalSites

afterEach(() => {
  vi.restoreAllMocks()
  disk?.makeRoom()
})
afterAll(async () => {
  await t?.close()
  disk?.end()
})

/** Everything but what changes put aside. */
async function state(): Promise<Record<string, string>> {
  const all = Object.entries(await t.fingerprint())
  return Object.fromEntries(all.filter(([name]) => !name.startsWith('/wp-content/.easydash-previous/')))
}

/** What became of a job, once there is room again. Returns whether it is done. */
async function settled(job: Job, before: Record<string, string>): Promise<boolean> {
  disk?.makeRoom()
  if (job.status !== 'Done') {
    expect([job.error_message, job.next_action]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
    // The way out.
    if ((await t.siteNow()).status === 'Failed') return settled(await t.retry(job), before)
  }
  expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  expect(await t.visit()).toBe(200)
  if (job.status !== 'Done') expect(await state()).toEqual(before)
  return job.status === 'Done'
}

const plugin = (version: string, code = ''): Buffer =>
  makeZip([
    { name: 'tool/tool.php', content: Buffer.from(`<?php /* Plugin Name: Tool\nVersion: ${version} */ ${code}`) },
    { name: 'tool/data.bin', content: randomBytes(300_000) },
  ])
const versionNow = async () => {
  const { facts } = (await t.act('inspect_wordpress')) as { facts: { plugins: { id: string; version: string }[] } }
  return facts.plugins.find(({ id }) => id === 'tool/tool.php')?.version ?? null
}

describe.skipIf(disk === null)('on a full disk (only where this process may mount one)', () => {
  beforeAll(async () => {
    const dataDir = disk?.folder ?? ''
    await chmod(dataDir, 0o700)
    // PHP, too, is refused by the disk only, not before.
    t = await openLocalSites({ dataDir, minFreeBytes: 0 })
  })

  test('an uploaded plugin is refused with the reason, and nothing of it is left', async () => {
    const before = await t.fingerprint()
    const { packages } = t.fixture.engine
    const { stage } = packages
    vi.spyOn(packages, 'stage').mockImplementation((...given) => {
      disk?.fill()
      return stage(...given)
    })
    const refusal = await t.upload('wordpress_package', plugin('1.0')).catch((error: unknown) => error)
    disk?.makeRoom()
    vi.restoreAllMocks()
    expect(refusal).toMatchObject({ message: expect.stringMatching(/\S/), code: 'unavailable' })
    expect(await t.fingerprint()).toEqual(before)
    expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  })

  test.each(['install', 'replace'])('to %s a plugin', async (what) => {
    const staged = await t.upload('wordpress_package', plugin(what === 'install' ? '1.0' : '2.0'))
    const [before, version] = [await state(), await versionNow()]
    const install = async (): Promise<Job> => t.job('install_package', { package: staged['package'], replace: 1 })
    disk?.fill()
    const isDone = await settled(await install(), before)
    expect(await versionNow()).toBe(isDone ? (what === 'install' ? '1.0' : '2.0') : version)
    if (!isDone) expect(await settled(await install(), before)).toBe(true)
    // It can still be taken back by hand.
    if (what === 'replace') {
      disk?.fill()
      await settled(await t.job('set_plugin', { plugin: 'tool/tool.php', do: 'rollback' }), await state())
      expect(['1.0', '2.0']).toContain(await versionNow())
    }
  })

  test('a plugin is replaced by a version that breaks the site', async () => {
    await t.job('set_plugin', { plugin: 'tool/tool.php', do: 'activate' })
    const broken = plugin('9.0', `add_action('template_redirect', function () { missing_function(); });`)
    const staged = await t.upload('wordpress_package', broken)
    const [before, version] = [await state(), await versionNow()]
    // As if it was the first change of the site: there is no file whose room can be used again.
    await rm(join(t.www, 'wp-content/.easydash-previous/last.json'))
    disk?.fill()
    expect(await settled(await t.job('install_package', { package: staged['package'], replace: 1 }), before)).toBe(
      false,
    )
    expect(await versionNow()).toBe(version)
    await t.job('set_plugin', { plugin: 'tool/tool.php', do: 'deactivate' })
  })

  const stages = ['target', 'unpack', 'pause', 'save', 'replace', 'upgrade', 'verify', 'finish']
  test.each(stages)('WordPress itself is changed, and the disk becomes full at %s', async (stage) => {
    const { core } = t.fixture.engine
    const { changeSteps, finishChange } = core
    let isFull = false
    // Not in retries.
    const fillAt = (now: string) => {
      if (now !== stage || isFull) return
      isFull = true
      disk?.fill()
    }
    vi.spyOn(core, 'changeSteps').mockImplementation((...given) =>
      changeSteps(...given).map((step) => ({
        ...step,
        run: (context) => {
          fillAt(step.key)
          return step.run(context)
        },
      })),
    )
    vi.spyOn(core, 'finishChange').mockImplementation((site) => {
      fillAt('finish')
      return finishChange(site)
    })
    const before = await state()
    const { wordpress_version: version } = await t.siteNow()
    const isDone = await settled(await t.job('set_core', { version }), before)
    if (isDone) expect(await state()).toEqual(before)
    expect(await t.siteNow()).toMatchObject({ wordpress_version: version })
  })

  test('settings are saved', async () => {
    const read = async () => (await t.act('read_wordpress_settings')) as { values: Record<string, unknown> }
    const { values } = await read()
    const changes = { title: 'x'.repeat(150), tagline: 'y'.repeat(200) }
    const expected = { title: values['title'], tagline: values['tagline'] }
    disk?.fill()
    const error = await t.act('save_wordpress_settings', { changes, expected }).then(
      () => null,
      (refusal: unknown) => refusal,
    )
    disk?.makeRoom()
    const now = (await read()).values
    if (error === null) expect(now).toMatchObject(changes)
    else expect([now, error]).toEqual([values, expect.objectContaining({ message: expect.stringMatching(/\S/) })])
    expect(await t.visit()).toBe(200)
    expect(await t.siteNow()).toMatchObject({ status: 'Live', locked_by_job: null })
  })

  test.each([
    ['a plugin is switched on', 'set_plugin', { plugin: 'hello.php', do: 'activate' }],
    ['the PHP version is changed', 'set_php_version', { php_version: '8.3' }],
    ['caches are emptied', 'flush_cache_job', {}],
  ])('%s', async (_what, action, args) => {
    const before = await state()
    disk?.fill()
    await settled(await t.job(action, args), before)
  })
})
