import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const prefix = 'easydash-'

/**
 * A folder for the sites' sockets that nobody else can open. Socket paths are limited to about 100 bytes: below a
 * longer data folder it is a temporary one, and its path is noted, so that the one of a killed engine does not stay.
 */
export async function socketFolder(dataDir: string): Promise<string> {
  const preferred = join(dataDir, 'local', 'run')
  if (Buffer.byteLength(preferred) <= 80) {
    await rm(preferred, { recursive: true, force: true })
    await mkdir(preferred, { recursive: true, mode: 0o700 })
    return preferred
  }
  const note = join(dataDir, 'local', 'run-folder')
  const before = await readFile(note, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  // Only ever a folder of ours, whatever happened to the note.
  if (dirname(before) === tmpdir() && before.startsWith(join(tmpdir(), prefix)))
    await rm(before, { recursive: true, force: true })
  const folder = await mkdtemp(join(tmpdir(), prefix))
  await mkdir(dirname(note), { recursive: true })
  await writeFile(note, folder, { mode: 0o600 })
  return folder
}
