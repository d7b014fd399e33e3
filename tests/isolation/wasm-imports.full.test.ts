import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localPhpVersions } from '#server/engines/local/capabilities.ts'
import { phpNode, wasm, type WasmModule } from '#server/engines/local/child/php-wasm.ts'
import { listedImports, restrictImports } from '#server/engines/local/child/wasm-imports.ts'

/** The loader and the compiled module of a PHP version. */
async function load(version: string): Promise<{ source: string; module: WasmModule }> {
  const { dependencyFilename } = await phpNode.getPHPLoaderModule(version)
  const script = join(dirname(dirname(dependencyFilename)), `php_${version.replace('.', '_')}.js`)
  return {
    source: await readFile(script, 'utf8'),
    module: await wasm.compile(await readFile(dependencyFilename)),
  }
}

const namesOf = (module: WasmModule): string[] =>
  wasm.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`)

/**
 * Every line of a loader that reaches out of the virtual machine, as it was read for `wasm-imports.ts`. A line that is
 * not here comes from an update of the package: find out which import leads to it, and whether that one is refused.
 */
const reviewed = new Set([
  // The start of the loader: its own files, its own arguments.
  'const require = createRequire(import.meta.url);',
  ': path.dirname(fileURLToPath(import.meta.url));',
  "var fs = require('fs');",
  "var flags = process.binding('constants')['fs'];",
  "? require('events').EventEmitter",
  // loadDynamicLibrary: only from _dlopen_js, which is refused, and for libraries that the main module names (none).
  'ASM_CONSTS[start] = eval(func);',
  'moduleExports[name] = eval(func);',
  // _emscripten_system, refused.
  "var cp = require('child_process');",
  'var ret = cp.spawnSync(cmdstr, [], {',
  // js_open_process and __asyncjs__js_popen_to_file, refused.
  'spawnProcess: function (command, args, options) {',
  "const spawned = Module['spawnProcess'](",
  'cp = PHPWASM.spawnProcess(cmdstr, argsArray, options);',
  'cp = PHPWASM.spawnProcess(cmdstr, []);',
  "cp.on('spawn', () => {",
  "'spawnProcess() must return an EventEmitter but returned a different type.'",
  "'popen(), proc_open() etc. are unsupported on this PHP instance. Call php.setSpawnHandler() ' +",
  // __syscall_connect: the `websocket` option replaces what is required here by our own class.
  "require('ws')",
  // __syscall_listen, refused.
  "var WebSocketServer = require('ws').Server;",
])
const opensResources =
  /\beval\s*\(|\bFunction\s*\(|\brequire\s*\(|\bimport\s*\(|child_process|spawn(?:Sync|Process)?\b.*\(|process\.binding/

describe.each(localPhpVersions)('PHP %s', (version) => {
  it('asks only for imports of the list', async () => {
    const { module } = await load(version)
    expect(namesOf(module).filter((name) => !listedImports().includes(name))).toEqual([])
  })

  it('has a loader that reaches out only where it was read', async () => {
    const { source } = await load(version)
    const lines = source.split('\n').map((line) => line.trim())
    expect(
      lines.filter((line) => !/^(?:\/\/|\*)/.test(line) && opensResources.test(line) && !reviewed.has(line)),
    ).toEqual([])
  })
})

describe('the list', () => {
  it('names nothing that no version asks for', async () => {
    const imports = new Set<string>()
    for (const version of localPhpVersions) for (const name of namesOf((await load(version)).module)) imports.add(name)
    expect(listedImports()).toEqual([...imports].sort())
  })

  it('hands out nothing of what it refuses, whatever the loader offers', async () => {
    const { module } = await load('8.4')
    const called: string[] = []
    const offered: Record<string, Record<string, unknown>> = {}
    for (const { module: from, name } of wasm.Module.imports(module))
      (offered[from] ??= {})[name] = () => called.push(name)
    const imports = restrictImports(module, { ...offered, 'GOT.func': { x: 1 } })
    expect(Object.keys(imports).sort()).toEqual(['env', 'wasi_snapshot_preview1'])
    const dangerous = [
      '_emscripten_system',
      '_dlopen_js',
      '_dlsym_js',
      '__asyncjs__js_popen_to_file',
      'js_open_process',
    ]
    for (const name of [...dangerous, '__syscall_listen', '__syscall_bind', '__asyncjs__js_module_onMessage']) {
      const value = imports['env']?.[name]
      expect(typeof value).toBe('function')
      if (typeof value === 'function') expect([name, value(1, 1, 1) <= 0]).toEqual([name, true])
    }
    expect(called).toEqual([])
  })

  it('stops a module that asks for anything else', async () => {
    // (import "env" NAME (func)) or (global i32)
    const asking = (name: string, kind: number[]): Promise<WasmModule> => {
      const text = (value: string): number[] => [value.length, ...Buffer.from(value)]
      const entry = [1, ...text('env'), ...text(name), ...kind]
      const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, entry.length, ...entry]
      return wasm.compile(Uint8Array.from(bytes))
    }
    const offered = { env: { emscripten_asm_const_int: () => 0, constructor: () => 0, __assert_fail: () => 0 } }
    for (const name of ['emscripten_asm_const_int', 'constructor', '__proto__', 'toString']) {
      const module = await asking(name, [0, 0])
      expect(() => restrictImports(module, offered)).toThrow(`env.${name} (function)`)
    }
    const global = await asking('__assert_fail', [3, 0x7f, 0])
    expect(() => restrictImports(global, offered)).toThrow('env.__assert_fail (global)')
    const known = await asking('__assert_fail', [0, 0])
    expect(restrictImports(known, offered)['env']?.['__assert_fail']).toBe(offered.env.__assert_fail)
  })
})
