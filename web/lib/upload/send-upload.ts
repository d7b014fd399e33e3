import { DetailedError, Upload } from 'tus-js-client'
import { ApiError, errorFromBody } from '#web/lib/api/api-error.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { parseJsonObject } from './parse-error.ts'

const t = createCatalog({ 'upload.broke_off': 'The upload broke off.' })

/** Bytes of one request: what is lost at the most when a connection breaks. */
const chunkSize = 8 * 1_048_576

/** Milliseconds before each further try, a minute in all; they count anew once anything has arrived. */
const retryDelays = [0, 1_000, 3_000, 10_000, 20_000, 30_000]

/**
 * What the server refuses stays refused. Worth another try are interruptions, those of a proxy in between too, and an upload that a request
 * before still has, whose connection hangs.
 */
const isInterruption = (status: number): boolean => [0, 408, 409, 423, 429, 500, 502, 503, 504].includes(status)

const headers = () => ({ Accept: 'application/json', 'X-Frappe-CSRF-Token': window.csrf_token ?? '' })

/** How an upload is sent. */
interface SendOptions {
  /** `kind`, and what that kind needs. */
  readonly metadata: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/**
 * Sends a file in parts, going on after interruptions. Resolves with the response of its kind. Rejects with ApiError, or the signal's
 * reason; after an abort the server forgets what it has got.
 */
export async function sendUpload(file: File, { metadata, signal, onProgress }: SendOptions): Promise<unknown> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: '/api/uploads',
      chunkSize,
      retryDelays,
      metadata: { filename: file.name, ...metadata },
      headers: headers(),
      storeFingerprintForResuming: false,
      onProgress,
      onUploadUrlAvailable: () => {
        // Otherwise the client sends all of it anew if the server doesn't say at once how much has arrived.
        upload.options.endpoint = null
      },
      onSuccess: ({ lastResponse }) => {
        const body = parseJsonObject(lastResponse.getBody())
        // All has arrived, and the response to the last part was lost on the way.
        const response = body === null ? askAgain(upload, file.size, signal) : Promise.resolve(body)
        // A complete upload belongs to what it is for: it can't be ended any more.
        signal.removeEventListener('abort', stop)
        response.then((one) => resolve(one['message']), reject)
      },
      onError: (error) => reject(apiErrorOf(error)),
      onShouldRetry: (error) => isInterruption(error.originalResponse?.getStatus() ?? 0),
    })
    const stop = () => {
      void upload.abort(true).catch(() => undefined)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    upload.start()
  })
}

/** The response to a complete upload: the same again, or what becomes of it now. */
async function askAgain(upload: Upload, size: number, signal: AbortSignal): Promise<Record<string, unknown>> {
  for (const delay of [...retryDelays, null]) {
    signal.throwIfAborted()
    const response = await fetch(upload.url ?? '', {
      method: 'PATCH',
      headers: {
        ...headers(),
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': String(size),
        'Content-Type': 'application/offset+octet-stream',
      },
      signal,
    }).catch(() => null)
    const body = response === null ? null : parseJsonObject(await response.text().catch(() => ''))
    if (response?.ok && body !== null) return body
    if (!isInterruption(response?.ok ? 0 : (response?.status ?? 0)) || delay === null)
      throw body === null ? new ApiError(t('upload.broke_off')) : errorFromBody(body, response?.status ?? 0)
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
  throw new ApiError(t('upload.broke_off'))
}

function apiErrorOf(error: Error): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null
  const body = response === null ? null : parseJsonObject(response.getBody())
  if (!response || body === null) return new ApiError(t('upload.broke_off'))
  return errorFromBody(body, response.getStatus(), new Headers())
}
