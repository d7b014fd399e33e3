import { isObject } from '#shared/parse-json.ts'
import { ApiError, errorFromBody, unreadableMessage } from './api-error.ts'
import { translateText } from '../i18n/catalog.ts'
import { withFreshToken } from '../session/fresh-token.ts'

/** The document and field that a file is attached to. */
interface Target {
  doctype: string
  docname: string
  fieldname: string
}

/**
 * Uploads a file as an attachment of a document; anyone who can read the document can read the file. Returns its URL. Throws
 * `ApiError`.
 */
export async function uploadFile(file: File, target: Target): Promise<{ name: string; file_url: string }> {
  return await withFreshToken(() => send(file, target))
}

async function send(file: File, target: Target): Promise<{ name: string; file_url: string }> {
  // The client library's text for a response without a message (docs/contracts/screens.md, section 8).
  const failure = translateText('There was an error while uploading the file.')
  const body = new FormData()
  body.set('file', file, file.name)
  body.set('is_private', '1')
  for (const [key, value] of Object.entries(target)) body.set(key, value)
  let response: Response
  try {
    response = await fetch('/api/method/upload_file', {
      method: 'POST',
      headers: { Accept: 'application/json', 'X-Frappe-CSRF-Token': window.csrf_token ?? '' },
      credentials: 'include',
      body,
    })
  } catch {
    throw new ApiError(failure)
  }
  const json: unknown = await response.json().catch(() => null)
  const parsed = isObject(json) ? json : null
  if (!response.ok) throw errorFromBody({ message: failure, ...parsed }, response.status, response.headers)
  // The outcome of the upload is unknown, so treat it like a missing response.
  if (parsed === null) throw new ApiError(unreadableMessage)
  return (parsed as { message: { name: string; file_url: string } }).message
}
