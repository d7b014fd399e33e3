import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { removeTree } from '#server/platform/trees/remove-tree.ts'

const prefix = 'easydash-'

/**
 * Creates a folder for the sites' sockets that nobody else can open. Socket paths are limited to about 100 bytes: if the
 * data folder's path is too long, it is a temporary folder whose path is recorded, so that the one of a killed engine can be
 * removed.
 */
export async function socketFolder(dataDir: string): Promise<string> {
  const preferred = join(dataDir, 'local', 'run')
  if (Buffer.byteLength(preferred) <= 80) {
    await removeTree(preferred)
    await mkdir(preferred, { recursive: true, mode: 0o700 })
    return preferred
  }
  const note = join(dataDir, 'local', 'run-folder')
  const before = await readFile(note, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  // Only removes a folder of ours, whatever happened to the note.
  if (dirname(before) === tmpdir() && before.startsWith(join(tmpdir(), prefix)))
    // Anybody may create files in the temporary folder, so what is there may belong to somebody else.
    await removeTree(before)
  const folder = await mkdtemp(join(tmpdir(), prefix))
  await mkdir(dirname(note), { recursive: true })
  await writeFile(note, folder, { mode: 0o600 })
  return folder
}
