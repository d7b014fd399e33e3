import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import type { FileStore, Upload } from '#server/contracts/files.ts'
import { checkText } from '#server/platform/json-values.ts'
import { msg } from '#shared/localized-message.ts'
import { addPair, type Params } from '../request/parameters.ts'
import { contextOf } from '../request/request-context.ts'

/** The method whose multipart body may contain a file; files sent to others are read and dropped. */
export const uploadMethod = 'frappe.handler.upload_file'

const uploadNames: ReadonlySet<string> = new Set([uploadMethod, 'upload_file'])

/** The method whose JSON body may contain a file as text. */
export const attachMethod = 'frappe.client.attach_file'

const fileNames: ReadonlySet<string> = new Set([...uploadNames, attachMethod, 'attach_file'])

/** Whether files are uploaded to this method as multipart. */
export function isUpload(method: string | null): boolean {
  return method !== null && uploadNames.has(method)
}

/** Whether a call of this method may contain a file, in any form. */
export function takesFile(method: string | null): boolean {
  return method !== null && fileNames.has(method)
}

/** Rejects `cmd` at the address of an upload method: its larger size limit must not apply to other methods. */
export function assertSameMethod(addressed: string | null, method: string): void {
  if (!takesFile(addressed) || takesFile(method)) return
  throw new AppError('invalid', msg`No other method can be called at the address of an upload.`, { field: 'cmd' })
}

/** Limits for multipart bodies of guests: no form they may send has more parts. */
const guestParts = { fields: 20, files: 1, parts: 20 } as const

/** Parameters of a multipart body, and the uploaded file if accepted. */
export interface MultipartBody {
  readonly form: Params
  readonly upload: Upload | null
}

/**
 * Reads a multipart body to its end. `files` null: files are dropped. Throws 417 for an invalid body or a second file, and
 * 413 for one that is too large; nothing is kept of a rejected or interrupted upload.
 */
export async function readMultipart(
  request: FastifyRequest,
  files: Pick<FileStore, 'receive'> | null,
): Promise<MultipartBody> {
  const form: Params = Object.create(null)
  let upload: Upload | null = null
  let rejection: unknown = null
  try {
    const isGuest = contextOf(request).session.kind === 'guest'
    for await (const part of request.parts(isGuest ? { limits: guestParts } : {})) {
      if (part.type === 'field') {
        addPair(form, part.fieldname, fieldText(part.value))
        continue
      }
      if (files === null || part.fieldname !== 'file' || rejection !== null) {
        part.file.resume()
        continue
      }
      if (upload !== null) {
        // The rest is still read: a response before the end looks like a broken connection to the client.
        rejection = new AppError('invalid', msg`Send one file at a time.`, { field: 'file' })
        part.file.resume()
        continue
      }
      try {
        checkText(part.filename ?? '', 'file')
        upload = await files.receive(part.file, sentName(part.filename ?? ''))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        part.file.resume()
        rejection = error
      }
    }
    // oxlint-disable-next-line typescript/only-throw-error -- what was refused on the way, an error of ours
    if (rejection !== null) throw rejection
    return { form, upload }
  } catch (error) {
    await upload?.discard()
    throw asMultipartError(error)
  }
}

/** Browsers percent-encode three characters of a file name and nothing else (HTML standard, multipart/form-data). */
function sentName(name: string): string {
  return name.replace(/%(22|0D|0A)/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

function asMultipartError(error: unknown): unknown {
  if (error instanceof AppError) return error
  // System errors such as a full disk are ours; parser errors are the client's.
  if (error instanceof Error && 'syscall' in error) return error
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 0
  if (status === 413) return new AppError('too_large', msg`The request is too large.`, { cause: error })
  return new AppError('invalid', msg`The multipart body is not valid.`, { cause: error })
}

function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}
