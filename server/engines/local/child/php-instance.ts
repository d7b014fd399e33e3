import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BootMessage } from './messages.ts'
import {
  phpNode,
  phpUniversal,
  wasm,
  type Php,
  type PhpLoader,
  type PhpRuntime,
  type WasmInstance,
  type WasmModule,
} from './php-wasm.ts'
import { maxBodyBytes } from '../limits.ts'
import { limitSite } from '../quota/limit-site.ts'
import { createFileExistence } from './file-existence.ts'
import { bindFileLocks } from './file-locks.ts'
import { prepareFileSystem } from './site-filesystem.ts'
import { temporaryFolder, temporaryIni } from './temporary-files.ts'
import { restrictImports, type WasmImports } from './wasm-imports.ts'

/** Everything read from disk before the process drops its privileges: reading our own code may be denied afterward. */
export interface PhpImage {
  loader: PhpLoader
  module: WasmModule
}

/**
 * The loader requires `ws` for each new PHP socket, although it never uses the result. Requiring it once from the loader's
 * own folder puts it in Node's module cache, so it works without access to the file; otherwise PHP has no network.
 */
function requireSockets(loader: PhpLoader): void {
  createRequire(join(dirname(dirname(loader.dependencyFilename)), 'loader.js'))('ws')
}

/** Loads and compiles the one PHP version of this process. */
export async function loadPhpImage(version: string): Promise<PhpImage> {
  const loader = await phpNode.getPHPLoaderModule(version)
  const bytes = await readFile(loader.dependencyFilename)
  requireSockets(loader)
  return { loader, module: await wasm.compile(bytes) }
}

let nextProcessId = 1

/** Options of a PHP instance. */
export interface PhpOptions {
  boot: BootMessage
  sockets: Record<string, unknown>
  /** Content of the file that runs before every request. */
  preload: string
  /** Called when a run knows that somebody who is signed in to wp-admin waits for it. */
  onAdmin(php: Php): void
  /** Management scripts: name → source code. */
  scripts: ReadonlyMap<string, string>
}

/**
 * Starts a PHP instance. The working directory of this process must be the site's folder: the mounts are relative to it, so
 * that they work without access to its parent folders.
 */
export async function startPhp(image: PhpImage, options: PhpOptions): Promise<Php> {
  let runtime: PhpRuntime | undefined
  const existence = createFileExistence()
  const id = await phpUniversal.loadPHPRuntime(image.loader, {
    phpWasmAsyncMode: 'jspi',
    // Otherwise PHP sees the program's path on this machine.
    thisProgram: 'php',
    processId: nextProcessId++,
    quit: (_status: number, toThrow: unknown) => {
      throw toThrow
    },
    bindUserSpace: bindFileLocks,
    websocket: options.sockets,
    instantiateWasm: (offered: WasmImports, receive: (instance: WasmInstance, module: WasmModule) => void) => {
      void wasm
        .instantiate(image.module, existence.watch(restrictImports(image.module, offered)))
        .then((instance) => receive(instance, image.module))
      return {}
    },
    onRuntimeInitialized: (initialized: PhpRuntime) => {
      runtime = initialized
      prepareFileSystem(initialized)
      existence.install(initialized)
      limitSite(initialized, options.boot.quota)
    },
  })
  if (runtime === undefined) throw new Error('PHP did not initialize.')
  const php = new phpUniversal.PHP(id)
  // OPcache refuses to work under the default name.
  await php.setSapiName('cli-server')
  await phpUniversal.setPhpIniEntries(php, iniEntries(options.boot))
  for (const [path, folder] of [
    ['/wordpress', './www'],
    ['/easydash/logs', './logs'],
    ['/easydash/outbox', './outbox'],
    [temporaryFolder.inPhp, temporaryFolder.onDisk],
  ] as const) {
    runtime.FS.mkdirTree(path)
    runtime.FS.mount(runtime.FS.filesystems.NODEFS, { root: folder }, path)
  }
  for (const [name, value] of Object.entries(constants(options.boot))) php.defineConstant(name, value)
  php.mkdir('/internal/shared/preload')
  php.writeFile('/internal/shared/preload/easydash.php', options.preload)
  php.mkdir('/internal/easydash')
  runtime.FS.createDevice('/internal/easydash', 'admin', null, () => options.onAdmin(php))
  for (const [name, code] of options.scripts) php.writeFile(`/internal/easydash/${name}.php`, code)
  php.chdir('/wordpress')
  return php
}

/** Largest request body in MB. */
const maxBodyMb = maxBodyBytes / 1024 ** 2

/** Errors go to `wp-content/debug.log`, which is never served; visitors see none. */
const debugConstants = { WP_DEBUG: true, WP_DEBUG_LOG: true, WP_DEBUG_DISPLAY: false, SCRIPT_DEBUG: true } as const

function iniEntries(boot: BootMessage): Record<string, string> {
  return {
    'opcache.file_cache': '',
    'opcache.file_cache_only': '0',
    'opcache.max_accelerated_files': '10000',
    'opcache.memory_consumption': '48',
    ...temporaryIni,
    // Without a spawn handler these hang the request forever; mail() is replaced by the capture in the preload.
    // Its replacement changes nothing: the limit is not the site's.
    max_execution_time: String(boot.limits.usual),
    disable_functions: 'exec,shell_exec,system,passthru,popen,proc_open,pcntl_exec,mail,dl,set_time_limit',
    display_errors: '0',
    display_startup_errors: '0',
    html_errors: '0',
    log_errors: '1',
    error_log: '/easydash/logs/php-errors.log',
    memory_limit: `${boot.memoryMb}M`,
    upload_max_filesize: `${boot.uploadMb}M`,
    // Together with the fields of the form, within what the proxy accepts.
    post_max_size: `${Math.min(boot.uploadMb + 1, maxBodyMb)}M`,
    max_file_uploads: '50',
    expose_php: '0',
    'date.timezone': 'UTC',
    user_agent: boot.siteType === 'wp' ? '' : 'PHP',
    implicit_flush: '0',
    output_buffering: '4096',
  }
}

function constants(boot: BootMessage): Record<string, string | boolean | number> {
  if (boot.siteType !== 'wp') return {}
  return {
    // The plugin's default (WAL) needs shared memory, which WASM lacks: it corrupted databases.
    SQLITE_JOURNAL_MODE: 'DELETE',
    DISABLE_WP_CRON: true,
    EASYDASH_ADMIN_SECONDS: boot.limits.admin,
    FS_METHOD: 'direct',
    // Otherwise WordPress raises the limit in its admin area.
    WP_MEMORY_LIMIT: `${boot.memoryMb}M`,
    WP_MAX_MEMORY_LIMIT: `${boot.memoryMb}M`,
    ...(boot.debug ? debugConstants : {}),
    ...(boot.isNetwork ? { EASYDASH_NETWORK: true } : {}),
    // What the site defines itself stays valid: a second definition of WordPress' own constants would be an error in its log.
    EASYDASH_HIDE_ERRORS: boot.protections.includes('hide_errors') && !boot.debug,
    EASYDASH_NO_FILE_EDITING: boot.protections.includes('no_file_editing'),
  }
}
