import { appendFileSync, utimesSync, writeFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { membersOf } from '#server/engines/archive-members.ts'
import { noCounts } from '#server/engines/seen-pages.ts'
import { exportFormat } from '#server/engines/site-manifest.ts'
import { runExportTask } from './export-task.ts'

/** Runs after each piece that is read of a file. */
let afterPiece: () => void = () => undefined
vi.mock(import('#server/platform/tree-files/zip-files.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    *piecesOf(...args: Parameters<typeof actual.piecesOf>) {
      for (const piece of actual.piecesOf(...args)) {
        yield piece
        afterPiece()
      }
    },
  }
})

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-task-'))
  await mkdir(join(folder, 'www'))
  await mkdir(join(folder, 'trash'))
})
afterEach(() => rm(folder, { recursive: true }))

const size = 17 * 1_048_576
let seconds = 1_000
/** Writes the large file of the site in place. */
function write(letter: string): void {
  writeFileSync(join(folder, 'www', 'large.bin'), Buffer.alloc(size, letter), { flag: 'r+' })
  touch()
}
function touch(): void {
  seconds += 1
  utimesSync(join(folder, 'www', 'large.bin'), seconds, seconds)
}

let manifest: { readonly not_packed: readonly string[] } | null = null

/** Packs the site. Returns what is in the archive of its large file. */
async function packed(): Promise<Buffer> {
  const target = join(folder, 'site.tar.zst')
  await rm(target, { force: true })
  const values = {
    ...{ format: exportFormat.name, version: 1, created: '2026-01-01T00:00:00Z', site: 'shop', engine: 'local' },
    ...{ type: 'html' as const, url: 'http://shop', php_version: null, wordpress_version: null, table_prefix: null },
    ...{ tables: {}, left_out: [] },
  }
  await runExportTask(
    {
      ...{ root: join(folder, 'www'), trash: join(folder, 'trash'), uid: null, container: 'tar.zst', target },
      ...{ manifestTarget: null, without: [], dump: null, instead: [], readme: 'Read me', manifest: values },
      limits: { bytes: Infinity, entries: Infinity },
    },
    () => undefined,
    Promise.resolve({ counts: noCounts, pages: [], title: null }),
  )
  const found: Buffer[] = []
  let text = ''
  for await (const { header, content } of membersOf(target))
    for await (const chunk of content) {
      if (header.name === 'files/large.bin') found.push(Buffer.from(chunk))
      if (header.name === 'manifest.json') text += Buffer.from(chunk).toString()
    }
  manifest = JSON.parse(text) as typeof manifest
  return Buffer.concat(found)
}

test('a large file that is rewritten while it is packed is read again', async () => {
  writeFileSync(join(folder, 'www', 'large.bin'), '')
  write('a')
  afterPiece = () => {
    afterPiece = () => undefined
    write('b')
  }
  expect((await packed()).equals(Buffer.alloc(size, 'b'))).toBe(true)
})

test('links are not packed, and the manifest says how many there are', async () => {
  writeFileSync(join(folder, 'www', 'large.bin'), '')
  symlinkSync('/etc/hostname', join(folder, 'www', 'link'))
  await packed()
  expect(manifest?.not_packed).toEqual(['1 links or special files'])
  rmSync(join(folder, 'www', 'link'))
  await packed()
  expect(manifest?.not_packed).toEqual([])
})

test('one that only grows has what it had, and one that never stops changing is named', async () => {
  writeFileSync(join(folder, 'www', 'large.bin'), '')
  write('a')
  afterPiece = () => appendFileSync(join(folder, 'www', 'large.bin'), 'more')
  expect((await packed()).equals(Buffer.alloc(size, 'a'))).toBe(true)
  writeFileSync(join(folder, 'www', 'large.bin'), '')
  write('a')
  afterPiece = touch
  await expect(packed()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('large.bin') })
  afterPiece = () => undefined
})
