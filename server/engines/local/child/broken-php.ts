import type { Php } from './php-wasm.ts'

/**
 * Exit code of a process whose PHP broke off in the middle of a run. Nothing is wrong with the site as a whole: the next
 * request starts it anew.
 */
export const brokenPhpExitCode = 75

const broken = new WeakSet<Php>()

/**
 * Whether a run broke off in this PHP: WASM trapped, by a recursion without end for example, or an import failed. What it
 * held then is never given back, and every later run in it fails.
 */
export const isBroken = (php: Php): boolean => broken.has(php)

/** Tells when that happens. */
export function watchForBreak(php: Php, onBreak: () => void): void {
  const runStream = php.runStream.bind(php)
  const tell = (): void => {
    broken.add(php)
    onBreak()
  }
  php.runStream = async (run) => {
    const answer = await runStream(run)
    // Whoever reads the answer gets the error, too; this is about what it does to the others.
    for (const part of [answer.httpStatusCode, answer.headers, answer.exitCode]) part.catch(tell)
    return answer
  }
}
