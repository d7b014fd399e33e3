import { createHash } from 'node:crypto'
import { membersOf } from './archive-members.ts'
import { createManifestComparison, type FileSum } from './compare-manifest.ts'
import { assertFiles, noBackup } from './damaged-backup.ts'
import { createManifestReader } from './manifest-reader.ts'
import { exportNames, maxManifestFiles } from './site-manifest.ts'

/** Damaged files that are named. */
const maxNamed = 20
/** Most files and folders, and characters of a name: their names are in memory. */
const [maxMembers, maxName] = [2 * maxManifestFiles, 4_200]

/** Compares the files and the dump of an archive with its manifest. Throws EngineError `invalid` for one that is damaged, or is none. */
export async function assertWhole(archive: string, signal: AbortSignal): Promise<void> {
  const names: string[] = []
  let count = 0
  const comparison = createManifestComparison(({ path }) => {
    count += 1
    if (count <= maxNamed) names.push(path)
  })
  const manifest = createManifestReader()
  let members = 0
  const { database } = await readingBackup(async () => {
    for await (const { header, content } of membersOf(archive, signal)) {
      const { name, type } = header
      members += 1
      if (members > maxMembers || name.length > maxName) throw noBackup()
      if (name === exportNames.manifest) {
        for await (const chunk of content)
          for (const { path, ...file } of manifest.read(chunk)) comparison.isNamed(`${exportNames.files}/${path}`, file)
        continue
      }
      const sum = await sumOf(content)
      if (type === 'file') comparison.isHere(name, sum)
    }
    return manifest.end()
  }, signal)
  if (database !== null) comparison.isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
  comparison.end()
  assertFiles({ count, names })
}

async function sumOf(content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<FileSum> {
  const sum = createHash('sha256')
  let size = 0
  for await (const chunk of content) {
    sum.update(chunk)
    size += chunk.length
  }
  return { size, sha256: sum.digest('hex') }
}

/** Whatever goes wrong while an archive is read is its fault, but for a disk that fails. */
export async function readingBackup<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof Error && 'syscall' in error ? error : noBackup()
  }
}
