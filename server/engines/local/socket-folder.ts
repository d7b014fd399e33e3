import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for the sites' sockets that nobody else can open. Socket paths are limited to about 100 bytes. */
export async function socketFolder(dataDir: string): Promise<string> {
  const preferred = join(dataDir, 'local', 'run')
  if (Buffer.byteLength(preferred) > 80) return mkdtemp(join(tmpdir(), 'easydash-'))
  await rm(preferred, { recursive: true, force: true })
  await mkdir(preferred, { recursive: true, mode: 0o700 })
  return preferred
}
