import { ScriptKilled, type ScriptHandler } from './script-context.ts'

/** The limit of time of PHP code (seconds). */
const mostSeconds = 30

/**
 * PHP code of an admin, of which few statements are simulated, each on a line: `echo`, `return` and `throw new Exception()` with a text, `sleep(N);`,
 * which ends at the limit of time, and what writes past every buffer of PHP, `fwrite(STDOUT, str_repeat('TEXT', N));`.
 */
export const consoleScript: ScriptHandler = ({ machine }, { code, limits }) => {
  const most = (limits as { output: number }).output
  let output = ''
  let value: string | null = null
  let error: { message: string; file: string; line: number } | null = null
  for (const [at, line] of String(code).split('\n').entries()) {
    const [, verb, text = ''] = /^\s*(echo|return|throw new Exception\() ?'([^']*)'\)?;\s*$/.exec(line) ?? []
    const [, slept] = /^\s*sleep\((\d+)\);$/.exec(line) ?? []
    const [, raw, times] = /^\s*fwrite\(STDOUT, str_repeat\('([^']*)', (\d+)\)\);$/.exec(line) ?? []
    if (Number(slept) > mostSeconds) {
      // The server looks at its clock: what ends with this code sooner was not ended by its limit.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, mostSeconds * 1_000)
      throw new ScriptKilled(124)
    }
    if (raw !== undefined) machine.out(raw.replaceAll(String.raw`\n`, '\n').repeat(Number(times)))
    else if (verb === 'echo') output += text
    else if (verb === 'return') value = text
    else if (line.trim() !== '' && slept === undefined) {
      const message = verb === undefined ? 'ParseError: syntax error' : `Exception: ${text}`
      error = { message, file: '', line: at + 1 }
    }
    if (value !== null || error !== null) break
  }
  return { output: output.slice(0, most), value, error, cut: output.length > most, ms: 1 }
}
