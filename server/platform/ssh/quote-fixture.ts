import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect } from 'vitest'
import { quote } from './quote.ts'

/** Bytes that mean something to a shell appear more often than others. */
const byte = fc.oneof(
  fc.constantFrom(...Buffer.from(`'"\\$\`!*?[]{}()<>|&;~# \t-=%^`)),
  fc.integer({ min: 1, max: 255 }).filter((code) => code !== 10 && code !== 13),
)
const bytes = fc.array(byte, { maxLength: 40 }).map((codes) => Buffer.from(codes))

/** Checks that quoted arguments of random bytes reach a program as they are, some in each run of a real shell. */
export function checkQuoting(runs: number): void {
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 20, maxLength: 20 }), (given) => {
      // Each byte as a character, so that sequences that are no UTF-8 are quoted, too.
      const words = given.map((argument) => quote(argument.toString('latin1'))).join(' ')
      const { stdout } = spawnSync('sh', { input: Buffer.from(`printf '%s\\0' ${words}`, 'latin1') })
      expect(stdout.equals(Buffer.concat(given.flatMap((argument) => [argument, Buffer.of(0)])))).toBe(true)
    }),
    { numRuns: runs },
  )
}
