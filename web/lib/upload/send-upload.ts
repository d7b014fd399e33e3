import { DetailedError, Upload } from 'tus-js-client'
import { ApiError, errorFromBody } from '#web/lib/api/api-error.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { parseJsonObject } from './parse-error.ts'

const t = createCatalog({ 'upload.broke_off': 'The upload broke off.' })

/** Bytes of one request: what is lost at the most when a connection breaks. */
const chunkSize = 8 * 1_048_576

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
      retryDelays: [0, 1_000, 3_000, 10_000],
      metadata: { filename: file.name, ...metadata },
      headers: { Accept: 'application/json', 'X-Frappe-CSRF-Token': window.csrf_token ?? '' },
      storeFingerprintForResuming: false,
      onProgress,
      onSuccess: ({ lastResponse }) => {
        // A complete upload belongs to what it is for: it can't be ended any more.
        signal.removeEventListener('abort', stop)
        resolve(parseJsonObject(lastResponse.getBody())?.['message'])
      },
      onError: (error) => reject(apiErrorOf(error)),
      // What the server refuses stays refused; only interruptions are worth another try.
      onShouldRetry: (error) => [0, 423, 429, 500, 502, 503].includes(error.originalResponse?.getStatus() ?? 0),
    })
    const stop = () => {
      void upload.abort(true).catch(() => undefined)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    upload.start()
  })
}

function apiErrorOf(error: Error): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (!response) return new ApiError(t('upload.broke_off'))
  return errorFromBody(parseJsonObject(response.getBody()), response.getStatus(), new Headers())
}
