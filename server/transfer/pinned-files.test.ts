import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { openSpool } from './pinned-files.ts'

test('an export removes leftovers of a killed one, and keeps other archives beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'held-'))
  try {
    await writeFile(join(folder, 'export-20260102'), 'an archive')
    await mkdir(join(folder, 'export-2026', 'may'), { recursive: true })
    const first = await openSpool(folder)
    const left = first.replace(/\d+$/, '1')
    await mkdir(join(left, 'files'), { recursive: true })
    const second = await openSpool(folder)
    expect((await readdir(folder)).toSorted()).toEqual([basename(second), 'export-2026', 'export-20260102'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
