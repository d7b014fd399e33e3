/** What the scripts print while they prepare: one line per finished step, one sentence per failure. */

/** A failure a person can act on: printed as one sentence and the way out, never as a stack. */
export class SetupError extends Error {
  /**
   * @param {string} message what went wrong, one sentence
   * @param {string} nextAction what to do next, one sentence
   */
  constructor(message, nextAction) {
    super(message)
    this.name = 'SetupError'
    this.nextAction = nextAction
  }
}

/**
 * Runs one set-up step and prints `✓ label 1.2 s` when it is done. What runs is said before: a terminal
 * replaces that line.
 * @template T
 * @param {{ running: string, done: string }} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const started = performance.now()
  const live = process.stdout.isTTY
  process.stdout.write(`… ${label.running}${live ? '' : '\n'}`)
  try {
    const result = await work()
    const line = `✓ ${label.done} ${seconds(performance.now() - started)}\n`
    process.stdout.write(live ? `\r\u001B[K${line}` : line)
    return result
  } catch (error) {
    if (live) process.stdout.write('\r\u001B[K')
    throw error
  }
}

/**
 * @param {number} milliseconds
 * @returns {string} `0.52 s`, `19.3 s`, `2 min 5 s`
 */
export function seconds(milliseconds) {
  const value = milliseconds / 1000
  if (value >= 100) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`
  return `${value.toFixed(value < 10 ? 2 : 1)} s`
}

/**
 * Prints a failure to stderr. Errors with a `nextAction` are meant for the person at the terminal; others are defects and
 * show their stack.
 * @param {unknown} error
 */
export function printFailure(error) {
  if (error instanceof Error && 'nextAction' in error) {
    const nextAction = typeof error.nextAction === 'string' ? `→ ${error.nextAction}\n` : ''
    process.stderr.write(`✗ ${error.message}\n${nextAction}`)
  } else {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  }
}
