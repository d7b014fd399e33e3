import type { SiteCommands, SiteConsole } from '../site-console.ts'
import type { FakeContext } from './fake-context.ts'
import { runningWordPress } from './fake-store.ts'

/** Understands `echo 'text';`, `return 'text';` and `throw new Exception('text');`, which it runs one after the other. */
export function createFakeConsole(context: FakeContext): SiteConsole {
  return {
    async runPhp(site, code) {
      runningWordPress(context, site)
      const result = { output: '', value: null as string | null, error: null, cut: false, ms: 0 }
      for (const [index, line] of code.split('\n').entries()) {
        const [, verb, text = ''] = /^\s*(echo|return|throw new Exception\() ?'([^']*)'\)?;\s*$/.exec(line) ?? []
        if (verb === 'echo') result.output += text
        else if (verb === 'return') return { ...result, value: text }
        else if (verb !== undefined || line.trim() !== '') {
          const message = verb === undefined ? 'ParseError: syntax error' : `Exception: ${text}`
          return { ...result, error: { message, file: '', line: index + 1 } }
        }
      }
      return result
    },
  }
}

/** Knows `option get blogname`, which prints the title. */
export function createFakeCommands(context: FakeContext): SiteCommands {
  return {
    async runWp(ref, words) {
      const site = runningWordPress(context, ref)
      const isKnown = words.join(' ') === 'option get blogname'
      const output = isKnown
        ? `${site.wordpress?.title ?? site.title}\n`
        : `Error: '${words.join(' ')}' is not a registered wp command.\n`
      return { output, code: isKnown ? 0 : 1, cut: false, ms: 0 }
    },
  }
}
