import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fileText } from '#shared/responses/site-files.ts'
import { sendUpload } from '#web/lib/upload/send-upload.ts'

/** A file on its way to a site. */
export interface SentFile {
  readonly site: string
  readonly path: string
  readonly file: File
  readonly replace: boolean
}

/** Sends a file in parts, going on after interruptions. Rejects with ApiError, or the signal's reason. */
export async function sendFile(
  { site, path, file, replace }: SentFile,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<void> {
  signal.throwIfAborted()
  if (file.size === 0) return makeEmpty(site, path, replace)
  const metadata = { kind: 'site_file', site, path, replace: replace ? '1' : '0' }
  await sendUpload(file, { metadata, signal, onProgress })
}

/** Uploads can't be empty: a file without content is written. */
async function makeEmpty(site: string, path: string, replace: boolean): Promise<void> {
  const version = replace ? checkedResult(fileText, await runAction('Site', site, 'read_file', { path })).version : null
  await runAction('Site', site, 'write_file', { path, content: '', version })
}
