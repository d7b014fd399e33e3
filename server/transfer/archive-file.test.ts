import { randomBytes } from 'node:crypto'
import { lstat, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tarEnd } from '#tests/support/raw-tar.ts'
import { parseKeyring } from '#server/platform/secrets/keyring.ts'
import { writeArchive } from './archive-file.ts'

const ring = parseKeyring(`v1:${randomBytes(32).toString('base64')}`)
const signal = AbortSignal.timeout(300_000)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function* nothing(): AsyncGenerator<Buffer> {
  yield tarEnd
}

test('only its owner can read an archive, even if another user created its unfinished file', async () => {
  const path = join(folder, 'archive')
  await writeFile(`${path}.part`, 'left', { mode: 0o644 })
  const watching = await open(`${path}.part`, 'r')
  const bytes = await writeArchive(path, ring, nothing(), signal)
  expect((await lstat(path)).mode & 0o777).toBe(0o600)
  expect((await lstat(path)).size).toBe(bytes)
  expect(String(await watching.readFile())).toBe('left')
  await watching.close()
})

test('an unfinished file that is a link is not followed', async () => {
  const path = join(folder, 'archive')
  const other = join(folder, 'other')
  await writeFile(other, 'untouched')
  await symlink(other, `${path}.part`)
  await writeArchive(path, ring, nothing(), signal)
  expect(await readFile(other, 'utf8')).toBe('untouched')
  expect((await lstat(path)).isFile()).toBe(true)
})
