import { ApiError, errorFromBody, offlineMessage } from './api-error.ts'
import { withFreshToken } from '../session/fresh-token.ts'
import { saveFile } from '#web/lib/browser/save-file.ts'

/** File name from a Content-Disposition header, or null. */
export function nameOf(disposition: string | null): string | null {
  return /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? null
}

/** Calls a method that responds with a file and saves it as a download. Throws `ApiError`. */
export async function downloadFile(method: string, params: Record<string, unknown>): Promise<void> {
  const response = await withFreshToken(() => ask(method, params))
  saveFile(nameOf(response.headers.get('content-disposition')) ?? 'download', await response.blob())
}

async function ask(method: string, params: Record<string, unknown>): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`/api/method/${method}`, {
      method: 'POST',
      credentials: 'include',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json; charset=utf-8',
        'X-Frappe-Site-Name': location.hostname,
        ...(window.csrf_token && { 'X-Frappe-CSRF-Token': window.csrf_token }),
      },
      body: JSON.stringify(params),
    })
  } catch {
    throw new ApiError(offlineMessage)
  }
  if (!response.ok) throw errorFromBody(await response.json().catch(() => null), response.status, response.headers)
  return response
}
