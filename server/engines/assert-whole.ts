import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createRowCounter, maxTables } from '#server/platform/mysql/count-rows.ts'
import { membersOf } from './archive-members.ts'
import { createManifestComparison, type FileSum } from './compare-manifest.ts'
import { assertFiles, assertRows, noBackup } from './damaged-backup.ts'
import { createManifestReader } from './manifest-reader.ts'
import { exportNames, maxManifestFiles } from './site-manifest.ts'

/** Damaged files that are named. */
const maxNamed = 20
/** Most files and folders, and characters of a name: their names are in memory. */
const [maxMembers, maxName] = [2 * maxManifestFiles, 4_200]

/**
 * Compares an archive with its manifest: files, dump, and the rows of each table in it. Throws EngineError `invalid` for one that is damaged, or is
 * none.
 */
export async function assertWhole(archive: string, signal: AbortSignal): Promise<void> {
  const names: string[] = []
  let count = 0
  const comparison = createManifestComparison(({ path }) => {
    count += 1
    if (count <= maxNamed) names.push(path)
  })
  const manifest = createManifestReader()
  const { through, rows } = createRowCounter()
  let members = 0
  const { database, tables } = await readingBackup(async () => {
    for await (const { header, content } of membersOf(archive)) {
      if (signal.aborted) return { database: null, tables: {} }
      const { name, type } = header
      members += 1
      if (members > maxMembers || name.length > maxName) throw noBackup()
      if (name === exportNames.manifest) {
        for await (const chunk of content)
          for (const { path, ...file } of manifest.read(chunk)) comparison.isNamed(`${exportNames.files}/${path}`, file)
        continue
      }
      // Its error is that of what reads it.
      const isDump = name === exportNames.dump && type === 'file'
      const sum = await sumOf(isDump ? pipeline(Readable.from(content), through, () => undefined) : content)
      if (type === 'file') comparison.isHere(name, sum)
    }
    return manifest.end()
  })
  signal.throwIfAborted()
  if (database !== null) comparison.isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
  comparison.end()
  assertFiles({ count, names })
  // More tables are not counted.
  const counted = Object.entries(tables).filter(([name]) => rows.size < maxTables || rows.has(name))
  assertRows(rows, counted)
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
export async function readingBackup<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? error : noBackup()
  }
}
