/** Runs one named step of the startup and returns its result. */
export type Step = <T>(label: string, run: () => Promise<T>) => Promise<T>

/** Output and clock of the steps; replaced in tests. */
export interface StepOptions {
  print?: (line: string) => void
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/**
 * Creates a `step` function that prints `✓ label 0.52 s` after success and `✗ label 0.52 s` after failure; errors are
 * rethrown.
 */
export function createSteps(options: StepOptions = {}): Step {
  const print = options.print ?? ((line: string) => process.stdout.write(`${line}\n`))
  const now = options.now ?? (() => performance.now())
  return async (label, run) => {
    const started = now()
    const line = (mark: string) => `${mark} ${label} ${((now() - started) / 1000).toFixed(2)} s`
    try {
      const result = await run()
      print(line('✓'))
      return result
    } catch (error) {
      print(line('✗'))
      throw error
    }
  }
}

/** Prints each startup step with its duration to the terminal. */
export const step: Step = createSteps()

/** A `step` that prints nothing, for tests and commands whose output is their result. */
export const silentStep: Step = (_label, run) => run()
