import { registerHooks } from 'node:module'
import { sealState } from './seal-state.ts'

/* Loaded by `--import`, before any module of PHP-WASM: restricts the modules this process can load. */

/**
 * Packages that PHP-WASM imports and that must not be loaded here: native code for file locks, network clients and servers, and
 * settings of code editors, whose two parsers are half of all modules. Each is replaced by a module with the exports that are
 * imported, which does nothing.
 */
const replaced: Readonly<Record<string, string>> = {
  'fs-ext-extra-prebuilt': new URL('./without-native-locks.ts', import.meta.url).href,
  '@php-wasm/cli-util': 'data:text/javascript,export const DEFAULT_IDE_KEY = null',
  ws: new URL('./without-web-sockets.ts', import.meta.url).href,
}

/**
 * Node modules that another PHP of this process needs after the process was locked down, and files. Uses only operators:
 * code of the site may have replaced any method by then.
 */
function isPermittedLater(url: string): boolean {
  return (
    url === 'node:fs' ||
    url === 'node:events' ||
    url === 'node:path' ||
    url === 'node:url' ||
    (url[0] === 'f' && url[1] === 'i' && url[2] === 'l' && url[3] === 'e' && url[4] === ':')
  )
}

registerHooks({
  resolve(specifier, context, next) {
    const replacement = Object.hasOwn(replaced, specifier) ? replaced[specifier] : undefined
    if (replacement !== undefined) return { url: replacement, shortCircuit: true }
    const found = next(specifier, context)
    if (sealState.sealed && !isPermittedLater(found.url)) throw new Error('This process has no such module.')
    return found
  },
})
