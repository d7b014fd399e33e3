import { createReadStream } from 'node:fs'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { readTar, type TarHeader, type TarSink } from '#server/platform/files/tar.ts'

/**
 * Reads an archive written by `packFolders`, member by member; see `readTar`.
 * @throws the signal's reason once it is aborted; errors of the disk, of the stream and of `onEntry`
 */
export async function readArchive(
  archive: string,
  signal: AbortSignal,
  onEntry: (header: TarHeader) => TarSink | null,
): Promise<void> {
  const source = createReadStream(archive, { signal })
  const plain = unzstd()
  source.once('error', (error) => plain.destroy(error))
  try {
    await readTar(source.pipe(plain), (header) => {
      signal.throwIfAborted()
      return onEntry(header)
    })
  } finally {
    source.destroy()
    plain.destroy()
  }
}
