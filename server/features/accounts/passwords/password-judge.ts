import { Worker } from 'node:worker_threads'
import type { PasswordStrength } from '#shared/rules/password-strength.ts'

/** What the thread is asked; it answers in order. */
export interface JudgeQuestion {
  readonly password: string
  readonly about: readonly string[]
}

/** What the thread answers. */
export type JudgeAnswer = { readonly strength: PasswordStrength } | { readonly failure: string }

interface Waiting {
  resolve(strength: PasswordStrength): void
  reject(error: Error): void
}

/** The thread and who waits for it, in the order of the questions. */
interface Judge {
  readonly worker: Worker
  readonly waiting: Waiting[]
}

let judge: Judge | null = null

/**
 * The strength of a password, as `passwordStrength` tells it, found in a thread of its own: loading the dictionaries
 * and judging a long password chosen by somebody hostile take tenths of a second, in which nobody else would be served.
 * The thread starts with the first password and keeps the program from ending only while somebody waits.
 * @throws Error when the thread ended or could not load
 */
export function judgePassword(password: string, about: readonly string[]): Promise<PasswordStrength> {
  const { worker, waiting } = (judge ??= startJudge())
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
    worker.ref()
    worker.postMessage({ password, about } satisfies JudgeQuestion)
  })
}

function startJudge(): Judge {
  const worker = new Worker(new URL('./password-judge-thread.ts', import.meta.url))
  const started: Judge = { worker, waiting: [] }
  const end = (error: Error): void => {
    if (judge === started) judge = null
    for (const one of started.waiting.splice(0)) one.reject(error)
  }
  worker.on('message', (answer: JudgeAnswer) => {
    const first = started.waiting.shift()
    if (started.waiting.length === 0) worker.unref()
    if ('strength' in answer) first?.resolve(answer.strength)
    else first?.reject(new Error(`The password could not be judged: ${answer.failure}`))
  })
  worker.once('error', end)
  worker.once('exit', (code) => end(new Error(`The thread that judges passwords ended with ${code}.`)))
  return started
}
