import { formatOfNames, headBytes, isUpdraftDump, kindOfFile, type FileKind } from '#shared/rules/archive-formats.ts'
import { maxImportBytes } from '#shared/rules/site-imports.ts'
import type { ImportSource } from '#shared/responses/site-imports.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { zipNames } from '#web/lib/upload/zip-names.ts'
import { t } from './messages.ts'

/** What was chosen: the format, or why it can't be imported. `zip`: the server finds out what it contains. */
export type Recognition = { readonly format: ImportSource | 'zip' } | { readonly problem: string }

/** Tells by their content what files are, before they are uploaded. The server decides. */
export async function recognizeFiles(files: readonly File[]): Promise<Recognition> {
  const size = files.reduce((total, file) => total + file.size, 0)
  if (files.some((file) => file.size === 0)) return { problem: t('import.empty') }
  if (size > maxImportBytes) return { problem: t('import.too_large', { size: formatBytes(maxImportBytes) }) }
  try {
    const [file] = files
    if (file === undefined) return { problem: t('import.no_file') }
    return files.length === 1 ? await recognizeFile(file) : await recognizeSet(files)
  } catch {
    // The browser can't read it, e.g. because it was moved or deleted meanwhile.
    return { problem: t('import.unreadable') }
  }
}

async function recognizeFile(file: File): Promise<Recognition> {
  const kind = await kindOf(file)
  if (kind === 'zip') return { format: formatOfNames(await zipNames(file)) ?? 'zip' }
  if (kind === 'wpress' || kind === 'wxr') return { format: kind }
  // Backups of ours; what else is packed like that, the server refuses.
  if (kind === 'zstd') return { format: 'easydash' }
  if (kind === 'dup_archive') return { format: 'duplicator' }
  return { problem: t(kind === 'updraft_dump' ? 'import.only_database' : 'import.unknown') }
}

/** Several files can only be those of one backup. */
async function recognizeSet(files: readonly File[]): Promise<Recognition> {
  const kinds = await Promise.all(files.map(kindOf))
  const dumps = kinds.filter((kind) => kind === 'updraft_dump').length
  if (dumps === 1) return { format: 'updraftplus' }
  return { problem: t(dumps === 0 ? 'import.several' : 'import.several_backups') }
}

/** As the head tells it; what gzip packs, by what is in it. */
async function kindOf(file: Blob): Promise<FileKind | null> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const kind = kindOfFile(head)
  if (kind !== 'gzip') return kind
  return isUpdraftDump(await unpackedHead(file.slice(0, 65_536))) ? 'updraft_dump' : kind
}

/** The first bytes that gzip packed; the part that is read ends anywhere, so the end is always wrong. */
async function unpackedHead(part: Blob): Promise<string> {
  const reader = part.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    const { value } = await reader.read()
    return new TextDecoder('latin1').decode(value?.subarray(0, headBytes))
  } catch {
    return ''
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
