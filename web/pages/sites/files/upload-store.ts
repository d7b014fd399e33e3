import { useSyncExternalStore } from 'react'
import { pathIn } from '#shared/rules/site-files.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { ChosenFile } from './dropped-files.ts'
import { rereadFolders } from './file-data.ts'

/** A file that is uploaded to a site. */
export interface FileUpload {
  readonly id: number
  readonly site: string
  /** In the site. */
  readonly path: string
  readonly file: File
  readonly replace: boolean
  readonly state: 'waiting' | 'sending' | 'done' | 'exists' | 'failed' | 'canceled'
  /** Bytes sent. */
  readonly sent: number
  /** Why it failed. */
  readonly problem: string | null
}

/** Concurrent uploads; an account can have ten unfinished ones. */
const atOnce = 3

let uploads: readonly FileUpload[] = []
let lastId = 0
const controllers = new Map<number, AbortController>()
const listeners = new Set<() => void>()

function set(next: readonly FileUpload[]): void {
  uploads = next
  for (const listener of listeners) listener()
}

function change(id: number, values: Partial<FileUpload>): void {
  set(uploads.map((upload) => (upload.id === id ? { ...upload, ...values } : upload)))
}

/** Uploads files into a folder of a site. They go on while the user is on other pages. */
export function startUploads(
  site: string,
  folder: string,
  files: readonly (ChosenFile & { readonly replace: boolean })[],
): void {
  const added = files.map(({ file, path, replace }): FileUpload => {
    lastId += 1
    return { id: lastId, site, path: pathIn(folder, path), file, replace, state: 'waiting', sent: 0, problem: null }
  })
  set([...uploads, ...added])
  sendNext()
}

/** Sends a file again that failed or was canceled; `replace`: over the one that is there. */
export function retryUpload(id: number, replace?: true): void {
  change(id, { state: 'waiting', sent: 0, problem: null, ...(replace && { replace }) })
  sendNext()
}

/** Ends an upload. */
export function cancelUpload(id: number): void {
  controllers.get(id)?.abort(new DOMException('Canceled', 'AbortError'))
  change(id, { state: 'canceled' })
}

/** Forgets the uploads of a site that have ended. */
export function clearUploads(site: string): void {
  set(uploads.filter((upload) => upload.site !== site || isGoing(upload)))
}

/** Whether it still goes on. */
export function isGoing({ state }: FileUpload): boolean {
  return state === 'waiting' || state === 'sending'
}

function sendNext(): void {
  const free = atOnce - uploads.filter(({ state }) => state === 'sending').length
  for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free))) void send(upload)
}

async function send(upload: FileUpload): Promise<void> {
  const { id, site } = upload
  const controller = new AbortController()
  controllers.set(id, controller)
  change(id, { state: 'sending' })
  try {
    const { sendFile } = await import('./send-file.ts')
    await sendFile(upload, controller.signal, (sent) => change(id, { sent }))
    change(id, { state: 'done', sent: upload.file.size })
  } catch (thrown) {
    if (!controller.signal.aborted) {
      const error = toApiError(thrown)
      const state = error.httpStatus === 409 && !upload.replace ? 'exists' : 'failed'
      change(id, { state, problem: fullMessage(error) })
    }
  } finally {
    controllers.delete(id)
    sendNext()
    if (!uploads.some((one) => one.site === site && isGoing(one))) void rereadFolders(site)
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The uploads of a site, in their order. */
export function useUploads(site: string): readonly FileUpload[] {
  return useSyncExternalStore(subscribe, () => uploads).filter((upload) => upload.site === site)
}
