import { Worker } from 'node:worker_threads'
import type { PasswordStrength } from '#shared/rules/password-strength.ts'

/** A request to the thread; responses come in the same order. */
export interface StrengthRequest {
  readonly password: string
  readonly about: readonly string[]
}

/** A response from the thread. */
export type StrengthResponse = { readonly strength: PasswordStrength } | { readonly failure: string }

interface Waiting {
  resolve(strength: PasswordStrength): void
  reject(error: Error): void
}

/** The thread and its pending requests, in order. */
interface RatingWorker {
  readonly worker: Worker
  readonly waiting: Waiting[]
}

let ratingWorker: RatingWorker | null = null

/**
 * Rates a password like `passwordStrength`, but in a worker thread: loading the dictionaries or judging a long hostile
 * password takes tenths of a second and would block all other requests. The thread starts with the first password and keeps
 * the process alive only while a request is pending.
 * @throws Error when the thread exited or could not load
 */
export function ratePassword(password: string, about: readonly string[]): Promise<PasswordStrength> {
  const { worker, waiting } = (ratingWorker ??= startRatingWorker())
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
    worker.ref()
    worker.postMessage({ password, about } satisfies StrengthRequest)
  })
}

function startRatingWorker(): RatingWorker {
  const worker = new Worker(new URL('./password-rating-thread.ts', import.meta.url))
  const started: RatingWorker = { worker, waiting: [] }
  const end = (error: Error): void => {
    if (ratingWorker === started) ratingWorker = null
    for (const one of started.waiting.splice(0)) one.reject(error)
  }
  worker.on('message', (response: StrengthResponse) => {
    const first = started.waiting.shift()
    if (started.waiting.length === 0) worker.unref()
    if ('strength' in response) first?.resolve(response.strength)
    else first?.reject(new Error(`The password could not be judged: ${response.failure}`))
  })
  worker.once('error', end)
  worker.once('exit', (code) => end(new Error(`The thread that judges passwords ended with ${code}.`)))
  return started
}
