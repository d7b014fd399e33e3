import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { explainFileError, StartupError, systemErrorCode } from './startup-error.ts'

const setting = 'EASYDASH_DATA_DIR'

/**
 * Id of the machine of a data folder: 8 hexadecimal digits in its file `machine`, created on first use. It moves with the
 * folder, because everything recorded in the shared database under this id is stored in that folder. Throws `StartupError`.
 */
export async function machineId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'machine')
  try {
    // Never overwrites an existing id: the sites of this folder are recorded under it.
    await writeFile(path, `${randomBytes(4).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') {
      await rm(path, { force: true }).catch(() => undefined)
      throw explainFileError(error, `The file ${path}`, setting)
    }
  }
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw explainFileError(error, `The file ${path}`, setting)
  })
  if (/^[0-9a-f]{8}$/.test(text.trim())) return text.trim()
  throw new StartupError(
    `The file ${path}, which says which machine the sites of this folder belong to, is damaged.`,
    'Put it back from a backup: 8 hexadecimal digits, as after "local:" in the servers\' engine_host.',
  )
}
