import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

/* A page that takes longer than requests may, as on a busy machine: what nobody saw is no defect of a backup, and nothing is proven by it. */

let fixture: EngineFixture
let folder: string

beforeAll(async () => {
  fixture = await startFixture({ requestSeconds: 10 })
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
  await fixture.writeFile(
    site,
    'index.php',
    `<?php if (str_starts_with($_SERVER['HTTP_HOST'], '${host}')) { ${code} } ?><html><head><title>Here</title></head></html>`,
  )
  await runAll(engine.backups.packSteps(site))
  const archive = join(folder, `${site.id}.tar.zst`)
  await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive))
  const rehearsal: SiteRef = { ...site, id: site.id.replace('fixture', 'rehears'), domain: `rehearsal-${site.domain}` }
  await runAll(engine.rehearsals.rehearseSteps(rehearsal, archive))
  const verdict = await engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
  expect(verdict).toMatchObject({ defects: [], inconclusive: reason })
})
