import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expireArchives } from './import-store.ts'

let dataDir: string
let folder: string
const [lost, running, young] = ['a', 'b', 'c'].map((letter) => letter.repeat(32))

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imports-'))
  folder = join(dataDir, 'local', 'imports')
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('parts whose archive is gone expire like archives', async () => {
  const [old, recent] = [new Date(1_000_000), new Date(3_000_000)]
  const parts: readonly (readonly [string, Date])[] = [
    [`${lost}.parts`, old],
    [`${running}.parts`, old],
    [`${young}.parts`, recent],
  ]
  for (const [name, time] of parts) {
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, '0.zip'), 'part')
    await utimes(join(folder, name), time, time)
  }
  // An archive that is not due keeps its parts, however old these are.
  await writeFile(join(folder, `${running}.zip`), 'archive')
  await utimes(join(folder, `${running}.zip`), recent, recent)
  await expireArchives({ options: { dataDir } }, 2_000_000)
  expect((await readdir(folder)).toSorted()).toEqual([`${running}.parts`, `${running}.zip`, `${young}.parts`])
  await expireArchives({ options: { dataDir } }, 4_000_000)
  expect(await readdir(folder)).toEqual([])
})
