import { msg, type LocalizedMessage } from '../localized-message.ts'
/** Labels and values of the strength meter (docs/contracts/screens.md, section 4). */
export const passwordLevels = { 'No Strength': 0, Weak: 33, Average: 66, Excellent: 100 } as const

/** A label of the strength meter. */
export type PasswordLevel = keyof typeof passwordLevels

/** Minimum and maximum password length in characters. */
export const passwordLength = { min: 10, max: 128 } as const

/** Strength of a password. */
export interface PasswordStrength {
  level: PasswordLevel
  /** 0 to 100, the meter's value of the level. */
  value: number
  /** Whether it can be used: length within limits and at least Average. */
  acceptable: boolean
  /** How to improve it, as a message for the user; null if acceptable. */
  problem: LocalizedMessage | null
}

type Check = (password: string, userInputs: string[]) => { score: number }

let loading: Promise<Check> | null = null

/** Loads the estimator and its dictionaries (400 kB) on demand, when a user is about to choose a password. */
async function loadEstimator(): Promise<Check> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  return (password, userInputs) => estimator.check(password, userInputs)
}

function estimator(): Promise<Check> {
  loading ??= loadEstimator().catch((error: unknown) => {
    // Don't cache a failed download: the next key press tries again.
    loading = null
    throw error
  })
  return loading
}

/** Validates a password's length; returns the error message or null. */
export function checkPasswordLength(password: string): LocalizedMessage | null {
  const length = [...password].length
  if (length < passwordLength.min) return msg`Use at least ${passwordLength.min} characters.`
  if (length > passwordLength.max) return msg`Use ${passwordLength.max} characters at the most.`
  return null
}

const levelOfScore: readonly PasswordLevel[] = ['No Strength', 'Weak', 'Weak', 'Average', 'Excellent']

/**
 * Rates a password by length and guessability, identically in the browser and on the server; there are no rules about
 * character classes. `about`: words related to the person (names, email), which count as guessable.
 */
export async function passwordStrength(password: string, about: readonly string[] = []): Promise<PasswordStrength> {
  const lengthProblem = checkPasswordLength(password)
  if (password === '') return result('No Strength', lengthProblem)
  const check = await estimator()
  // Guessability only improves with more characters, so the first 128 are enough; more would only take longer.
  const { score } = check([...password].slice(0, passwordLength.max).join(''), personalWords(about))
  const level = levelOfScore[score] ?? 'No Strength'
  if (lengthProblem) return result(score === 0 ? 'No Strength' : 'Weak', lengthProblem)
  const guessable = passwordLevels[level] < passwordLevels.Average
  return result(level, guessable ? msg`This password is easy to guess. Use more words, or less common ones.` : null)
}

function result(level: PasswordLevel, problem: LocalizedMessage | null): PasswordStrength {
  return { level, value: passwordLevels[level], acceptable: problem === null, problem }
}

/** Names and addresses, and their parts: `ann.lee@example.com` also adds `ann`, `lee` and `example`. */
function personalWords(about: readonly string[]): string[] {
  const whole = about.map((text) => text.trim().toLowerCase()).filter((text) => text !== '')
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).filter((part) => part.length >= 3)
  return [...new Set([...whole, ...parts])]
}
