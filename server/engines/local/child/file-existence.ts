import type { PhpRuntime } from './php-wasm.ts'
import type { WasmImports } from './wasm-imports.ts'

/** C's access(): PHP's file_exists(), is_readable() and is_writable(). */
type AccessCall = (folder: number, path: number, mode: number, flags: number) => number

/**
 * Makes access() look at the real file. Emscripten answers it from its cache of names, so a file that another instance of PHP
 * or somebody outside deleted would exist for ever, and code that includes what exists would fail.
 */
export interface FileExistence {
  /** The imports of a PHP module with an access() that looks. */
  watch(imports: WasmImports): WasmImports
  /** Call once for the same PHP, when its runtime is initialized. */
  install(runtime: PhpRuntime): void
}

/** One for each PHP. */
export function createFileExistence(): FileExistence {
  let isAsked = false
  return {
    watch(imports) {
      const access = imports['env']?.['__syscall_faccessat'] as AccessCall | undefined
      if (access === undefined) throw new Error('PHP has no import env.__syscall_faccessat.')
      const looking: AccessCall = (...args) => {
        isAsked = true
        try {
          return access(...args)
        } finally {
          isAsked = false
        }
      }
      return { ...imports, env: { ...imports['env'], __syscall_faccessat: looking } }
    },
    install({ FS }) {
      const { lookupPath } = FS
      FS.lookupPath = (path, options) => {
        const found = lookupPath(path, options)
        // Throws "no such file" if it is gone.
        if (isAsked && found.node) found.node.node_ops.getattr(found.node)
        return found
      }
    },
  }
}
