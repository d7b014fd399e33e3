import type { Readable } from 'node:stream'
import { DataStore, Server, Upload } from '@tus/server'
import type { ResumableUpload, UploadStore } from '#server/contracts/resumable-upload.ts'
import type { Session } from '#server/contracts/session.ts'
import { checkText } from '#server/platform/json-values.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { createUploadLocks } from './upload-locks.ts'

/** Path of all resumable uploads. */
export const uploadsPath = '/api/uploads'

/** Maximum number of metadata entries a client sends with its file. */
const maxMetadata = 20

const locker = createUploadLocks()

/** Metadata of the protocol: `kind` and `filename`, the rest is the kind's. Throws `invalid` if they are missing. */
function uploadOf({ id, size, metadata = {} }: Upload): ResumableUpload {
  const texts: Record<string, string> = {}
  const entries = Object.entries(metadata ?? {})
  if (entries.length > maxMetadata) throw new AppError('invalid', msg`The upload has too much metadata.`)
  for (const [name, value] of entries) {
    checkText(name)
    checkText(value ?? '', name)
    texts[name] = value ?? ''
  }
  const { kind = '', filename: fileName = '', ...rest } = texts
  if (fileName === '') throw new AppError('invalid', msg`The upload has no name.`, { field: 'filename' })
  return { id, kind, fileName, size: size ?? 0, metadata: rest }
}

/** The protocol package's view of the uploads of one caller. */
class CallersUploads extends DataStore {
  readonly #uploads: UploadStore
  readonly #session: Session

  constructor(uploads: UploadStore, session: Session) {
    super()
    this.extensions = ['creation', 'creation-with-upload', 'termination']
    this.#uploads = uploads
    this.#session = session
  }

  override async create(upload: Upload): Promise<Upload> {
    await this.#uploads.create(this.#session, uploadOf(upload))
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const { size, offset, kind, fileName, metadata } = await this.#uploads.get(this.#session, id)
    return new Upload({ id, size, offset, metadata: { ...metadata, kind, filename: fileName } })
  }

  override write(content: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(this.#session, id, offset, content)
  }

  override remove(id: string): Promise<void> {
    return this.#uploads.remove(this.#session, id)
  }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  413: 'too_large',
  500: 'unavailable',
}

/** A refusal of the package in the shape of our errors. */
async function uploadError(response: Response): Promise<AppError> {
  const text = (await response.text()).trim()
  return new AppError(codes[response.status] ?? 'invalid', msg`The upload was refused: ${text}`)
}

/**
 * Answers one request of the protocol. Throws the errors of the store as they are, and an AppError for what breaks the
 * protocol's own rules.
 */
export async function answerUpload(uploads: UploadStore, session: Session, request: Request): Promise<Response> {
  let failure: unknown = null
  const server = new Server({
    path: uploadsPath,
    datastore: new CallersUploads(uploads, session),
    locker,
    relativeLocation: true,
    allowedOrigins: () => false,
    async onUploadFinish(_request, { id }) {
      const message = await uploads.finish(session, id)
      return { status_code: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) }
    },
    onResponseError(_request, error) {
      // Its own refusals have a status.
      if (error instanceof Error && !('status_code' in error)) failure = error
      return undefined
    },
  })
  const response = await server.handleWeb(request)
  if (failure !== null) throw failure as Error
  // 412 belongs to the protocol: the client tries another version of it.
  if (response.status >= 400 && response.status !== 412) throw await uploadError(response)
  for (const name of [...response.headers.keys()])
    if (name.startsWith('access-control-') || name === 'content-length') response.headers.delete(name)
  return response
}
