import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import type { RehearsalVerdict } from '../../site-backups.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

/* Sites and machines that are busy: what nobody saw is no defect of a backup, and nothing is proven by it. */

let fixture: EngineFixture
let folder: string

beforeAll(async () => {
  fixture = await startFixture({ requestSeconds: 20 })
  folder = await mkdtemp(join(tmpdir(), 'backups-'))
})
afterAll(async () => {
  await fixture?.end()
  await rm(folder, { recursive: true })
})

const endless = 'while (true);'
const inTheMiddle = `echo '<p>First part</p>', str_repeat(' ', 5000); flush(); ${endless}`
const tooLong = expect.stringContaining('took too long')
const notSeen = expect.stringContaining('No page of the site answered')

it.each([
  ['before it answers, while the backup is tried out', 'rehearsal', endless, tooLong],
  ['in the middle, while the backup is tried out', 'rehearsal', inTheMiddle, tooLong],
  ['before it answers, while it is backed up', 'site', endless, notSeen],
  ['in the middle, while it is backed up', 'site', inTheMiddle, notSeen],
])('a site that hangs %s', async (_when, host, code, reason) => {
  const { engine } = fixture
  const site = await fixture.create()
  const page = `<?php if (str_starts_with($_SERVER['HTTP_HOST'], '${host}')) { ${code} } ?><html><head><title>Here</title></head></html>`
  const { version } = await engine.files.read(site, 'index.php')
  await engine.files.write(site, 'index.php', page, version)
  await runAll(engine.backups.packSteps(site))
  expect(await verdictOn(site)).toMatchObject({ defects: [], inconclusive: reason })
})

it('a site that gets comments all the time while it is backed up', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp' })
  const code = `<?php require '/wordpress/wp-load.php'; wp_insert_comment(array('comment_post_ID' => 1, 'comment_content' => 'More')); echo 'made';`
  await fixture.writeFile(site, 'comment.php', code)
  let isOver = false
  const visiting = async () => {
    while (!isOver) expect((await fixture.fetch(site, '/comment.php')).body).toBe('made')
  }
  const visitors = [visiting(), visiting()]
  await runAll(engine.backups.packSteps(site)).finally(() => {
    isOver = true
  })
  await Promise.all(visitors)
  expect((await verdictOn(site)).defects).toEqual([])
})

/** What is said of the backup that a site was packed into. */
async function verdictOn(site: SiteSpec): Promise<RehearsalVerdict> {
  const { backups, rehearsals } = fixture.engine
  const archive = join(folder, `${site.id}.tar.zst`)
  await pipeline((await backups.packed(site)).file.open(), createWriteStream(archive))
  const rehearsal: SiteRef = {
    ...site,
    id: site.id.replace('fixture', 'rehears'),
    domain: `rehearsal-${site.domain}`,
  }
  await runAll(rehearsals.rehearseSteps(rehearsal, archive))
  return rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
}
