import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '#server/engines/local/engine-fixture.ts'
import { exists } from '#server/platform/files/exists.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { fingerprintOf, wwwOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'
import { sampleOf } from '#tests/support/long-run.ts'

/**
 * kill -9 of the process while a real site is archived, and while it is restored: after the restart each job is completed, and the
 * site is back to the byte, with nothing left lying around.
 */

let t: LocalKills
let live: Site

beforeAll(async () => {
  t = await openLocalKills()
  live = await t.makeLive()
})
afterAll(() => t?.close())

const fingerprint = () => fingerprintOf(t.now.fixture, live)
const inSite = (...path: string[]) => join(wwwOf({ dataDir: t.place.dataDir }, live), '..', ...path)
/** Kills the process once something is so. */
const once = (isSo: () => Promise<boolean>) => async (kill: () => void) => {
  await until(isSo)
  kill()
}
/** One comes before the other, which may be seen first on a fast machine. */
const isEither = (one: readonly string[], next: readonly string[]) => async () =>
  (await isThere(...one)) || (await isThere(...next))
const isThere = (...path: string[]) => exists(inSite(...path))

interface Killed {
  readonly when: string
  readonly point?: string
  readonly until?: (kill: () => void) => Promise<void>
}

const archivings: readonly Killed[] = [
  { when: 'once it is packed', point: crashPointName('site.archive', 'after-run', 'pack_files') },
  {
    when: 'while its files are removed',
    until: once(async () => (await isThere('archive.tar.zst')) && !(await isThere('www', 'index.php'))),
  },
  { when: 'while it is packed', until: once(isEither(['archive.tar.zst.new'], ['archive.tar.zst'])) },
  { when: 'once its files are removed', point: crashPointName('site.archive', 'after-run', 'remove_files') },
]

const restores: readonly Killed[] = [
  { when: 'before its archive is removed', point: 'local.archive/restored' },
  { when: 'while it is unpacked', until: once(isEither(['staging', 'www', 'wp-includes'], ['www', 'wp-includes'])) },
  { when: 'once it is unpacked', point: crashPointName('site.restore_archive', 'after-run', 'unpack_files') },
  { when: 'before it answered', point: crashPointName('site.restore_archive', 'after-intent', 'check') },
]

test.each(sampleOf(archivings.map((archiving, at) => [archiving, restores[at] ?? archiving] as const)))(
  'archiving %j, restoring %j',
  async (archiving, restoring) => {
    const before = await fingerprint()
    const run = async (action: 'archive' | 'restore_archive', { point = 'none', until: seen }: Killed) => {
      const job = await t.killAt(`site.${action}`, point, { name: live.name, action }, seen)
      expect([job.status, job.error_message]).toEqual(['Done', null])
    }
    await run('archive', archiving)
    expect(await t.siteNow(live.name)).toMatchObject({ status: 'Archived', locked_by_job: null, failure_reason: null })
    await expect(access(inSite('www'))).rejects.toThrow('ENOENT')
    expect(await t.leftovers(live)).toEqual(['archive.tar.zst'])

    await run('restore_archive', restoring)
    expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
    expect(await fingerprint()).toEqual(before)
    expect(await t.leftovers(live)).toEqual([])
  },
)
