import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, vi } from 'vitest'
import { EngineError } from '../../engine.ts'

/** Creates a separate temporary folder for the test file: other tests on the machine take screenshots, too. */
export async function ownTemporaryFolder(): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'thumbnails-'))
  await chmod(temporary, 0o755)
  vi.stubEnv('TMPDIR', temporary)
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(temporary, { recursive: true, force: true })
  })
}

/** Browser folders in it. */
export const browserFolders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('easydash-browser-'))

/** The error a screenshot fails with. */
export async function failureOf(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}
