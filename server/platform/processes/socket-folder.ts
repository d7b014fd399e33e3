import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { systemErrorCode } from './startup-error.ts'

const prefix = 'easydash-'
/** File in a temporary folder with the path of the parent. */
const owner = 'owner'

/**
 * Creates an empty folder `run` for unix sockets that nobody else can open. Socket paths are limited to about 100 bytes: if the
 * parent's path is too long, it is a temporary folder whose path is recorded in the parent, so that the one of a killed process can be
 * removed.
 */
export async function socketFolder(parent: string): Promise<string> {
  const preferred = join(parent, 'run')
  if (Buffer.byteLength(preferred) <= 80) {
    await removeTree(preferred)
    await mkdir(preferred, { recursive: true, mode: 0o700 })
    return preferred
  }
  const note = join(parent, 'run-folder')
  const before = await textOf(note)
  // Only removes a folder of ours, whatever happened to the note, which a copy of the parent has, too.
  const isOurs = dirname(before) === tmpdir() && before.startsWith(join(tmpdir(), prefix))
  if (isOurs && (await textOf(join(before, owner))) === parent)
    // Anybody may create files in the temporary folder, so what is there may belong to somebody else.
    await removeTree(before)
  const folder = await mkdtemp(join(tmpdir(), prefix))
  await writeFile(join(folder, owner), parent, { mode: 0o600 })
  await mkdir(parent, { recursive: true })
  await writeFile(note, folder, { mode: 0o600 })
  return folder
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return ''
    throw error
  }
}
