import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

let fixture: EngineFixture
let site: SiteSpec
beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'php' })
  await fixture.writeFile(
    site,
    'seen.php',
    `<?php echo json_encode(array_map(fn ($name) => [file_exists($name), is_readable($name), is_file($name)], ['kept.txt', 'gone.txt', 'folder/inside.txt', 'new.txt']));`,
  )
})
afterAll(() => fixture.end())

it('a file that was deleted from outside does not exist for PHP that saw it', async () => {
  const www = join(fixture.dataDir, 'local', 'sites', site.id, 'www')
  const seen = async () => JSON.parse((await fixture.fetch(site, '/seen.php')).body) as boolean[][]
  await mkdir(join(www, 'folder'))
  for (const name of ['kept.txt', 'gone.txt', 'folder/inside.txt']) await writeFile(join(www, name), 'x')
  const yes = [true, true, true]
  const no = [false, false, false]
  expect(await seen()).toEqual([yes, yes, yes, no])
  await rm(join(www, 'gone.txt'))
  await rm(join(www, 'folder'), { recursive: true })
  await writeFile(join(www, 'new.txt'), 'x')
  expect(await seen()).toEqual([yes, no, no, yes])
})
