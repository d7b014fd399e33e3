import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, vi } from 'vitest'
import { EngineError } from '../../engine.ts'

/** A temporary folder of the test file's own: elsewhere on the machine products of other tests picture sites, too. */
export async function ownTemporaryFolder(): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'pictures-'))
  await chmod(temporary, 0o755)
  vi.stubEnv('TMPDIR', temporary)
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(temporary, { recursive: true, force: true })
  })
}

/** Folders of browsers in it. */
export const browserFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('easydash-browser-'))

/** What a picture fails with. */
export async function failureOf(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}
