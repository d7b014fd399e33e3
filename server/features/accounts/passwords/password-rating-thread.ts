/** Worker thread that rates passwords one at a time; started by `password-rating.ts`. */
import { parentPort } from 'node:worker_threads'
import { passwordStrength } from '#shared/rules/password-strength.ts'
import type { StrengthResponse, StrengthRequest } from './password-rating.ts'

async function answerTo({ password, about }: StrengthRequest): Promise<StrengthResponse> {
  try {
    return { strength: await passwordStrength(password, about) }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

// Responses keep the order of the questions, also while the dictionaries load.
let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (question: StrengthRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answerTo(question)))
})
