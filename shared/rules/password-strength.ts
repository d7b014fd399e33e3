import { say, type Sentence } from '../sentence.ts'
/** Words and numbers of the strength meter (docs/contracts/screens.md, section 4). */
export const passwordLevels = { 'No Strength': 0, Weak: 33, Average: 66, Excellent: 100 } as const

/** One of the meter's words. */
export type PasswordLevel = keyof typeof passwordLevels

/** Bounds of a password's length in characters. */
export const passwordLength = { min: 10, max: 128 } as const

/** How good a password is. */
export interface PasswordStrength {
  level: PasswordLevel
  /** 0 to 100, the meter's value of the level. */
  value: number
  /** Whether it may be used: length within bounds and at least Average. */
  acceptable: boolean
  /** What to do about it, for people; null when acceptable. */
  problem: Sentence | null
}

type Check = (password: string, userInputs: string[]) => { score: number }

let loading: Promise<Check> | null = null

/** Loads the estimator and its dictionaries (400 kB): only when somebody is about to choose a password. */
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
    // A failed download must not stick: the next key press tries again.
    loading = null
    throw error
  })
  return loading
}

/** What is wrong with a password's length, in words; null when within bounds. */
export function checkPasswordLength(password: string): Sentence | null {
  const length = [...password].length
  if (length < passwordLength.min) return say`Use at least ${passwordLength.min} characters.`
  if (length > passwordLength.max) return say`Use ${passwordLength.max} characters at the most.`
  return null
}

const levelOfScore: readonly PasswordLevel[] = ['No Strength', 'Weak', 'Weak', 'Average', 'Excellent']

/**
 * Judges a password by length and guessability, the same way in the browser and on the server; no rules about kinds of
 * characters. `about` are words that say something about the person (names, e-mail): they count as guessable.
 */
export async function passwordStrength(password: string, about: readonly string[] = []): Promise<PasswordStrength> {
  const lengthProblem = checkPasswordLength(password)
  if (password === '') return result('No Strength', lengthProblem)
  const check = await estimator()
  // Guessability grows with every character, so the first 128 are enough; more would only cost time.
  const { score } = check([...password].slice(0, passwordLength.max).join(''), wordsAbout(about))
  const level = levelOfScore[score] ?? 'No Strength'
  if (lengthProblem) return result(score === 0 ? 'No Strength' : 'Weak', lengthProblem)
  const guessable = passwordLevels[level] < passwordLevels.Average
  return result(level, guessable ? say`This password is easy to guess. Use more words, or less common ones.` : null)
}

function result(level: PasswordLevel, problem: Sentence | null): PasswordStrength {
  return { level, value: passwordLevels[level], acceptable: problem === null, problem }
}

/** Names and addresses, and their parts: `ann.lee@example.com` also as `ann`, `lee`, `example`. */
function wordsAbout(about: readonly string[]): string[] {
  const whole = about.map((text) => text.trim().toLowerCase()).filter((text) => text !== '')
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).filter((part) => part.length >= 3)
  return [...new Set([...whole, ...parts])]
}
