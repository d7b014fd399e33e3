import { ApiError, errorFromBody } from './api-error.ts'
import { described } from './catalogue.ts'

/** Sends a file to stand beside a document, for those who may read it. Returns its address. Throws `ApiError`. */
export async function uploadFile(
  file: File,
  target: { doctype: string; docname: string; fieldname: string },
): Promise<{ name: string; file_url: string }> {
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
    throw new ApiError(described('There was an error while uploading the file.'))
  }
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw errorFromBody(answer, response.status, response.headers)
  return (answer as { message: { name: string; file_url: string } }).message
}
