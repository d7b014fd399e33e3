import { wasm, type WasmModule } from './php-wasm.ts'

/** WASI errno of an unimplemented call; PHP-WASM's C library uses these numbers. */
const enosys = 52
/** WASI errno of an unsupported socket operation. */
const eopnotsupp = 138

/** Replaces an import and reports to the C library that the call failed. */
type DeniedImport = (...values: number[]) => number

/**
 * Imports that use only the module's own memory, its virtual file system and its guarded sockets, and nothing else of the
 * process. Each was reviewed in the loaders of every PHP version.
 */
const permitted: Record<string, readonly string[]> = {
  env: [
    '__assert_fail',
    '__asyncjs__wasm_poll_socket',
    '__call_sighandler',
    '__syscall_chdir',
    '__syscall_chmod',
    // Uses the `websocket` option, which is `outbound.ts`.
    '__syscall_connect',
    '__syscall_dup',
    '__syscall_dup3',
    '__syscall_faccessat',
    '__syscall_fallocate',
    '__syscall_fchmod',
    '__syscall_fchown32',
    '__syscall_fchownat',
    '__syscall_fcntl64',
    '__syscall_fdatasync',
    '__syscall_fstat64',
    '__syscall_ftruncate64',
    '__syscall_getcwd',
    '__syscall_getdents64',
    '__syscall_getpeername',
    '__syscall_getsockname',
    '__syscall_getsockopt',
    '__syscall_ioctl',
    '__syscall_lstat64',
    '__syscall_mkdirat',
    '__syscall_newfstatat',
    '__syscall_openat',
    '__syscall_pipe',
    '__syscall_poll',
    '__syscall_readlinkat',
    '__syscall_recvfrom',
    '__syscall_renameat',
    '__syscall_rmdir',
    '__syscall_sendmsg',
    '__syscall_sendto',
    '__syscall_socket',
    '__syscall_stat64',
    '__syscall_statfs64',
    '__syscall_symlinkat',
    '__syscall_unlinkat',
    '__syscall_utimensat',
    '_abort_js',
    '_emscripten_lookup_name',
    '_emscripten_runtime_keepalive_clear',
    '_gmtime_js',
    '_localtime_js',
    '_mktime_js',
    '_mmap_js',
    '_munmap_js',
    '_tzset_js',
    'emscripten_date_now',
    'emscripten_get_heap_max',
    'emscripten_get_now',
    'emscripten_resize_heap',
    'emscripten_sleep',
    'exit',
    'getaddrinfo',
    'getcontext',
    'getdtablesize',
    'getnameinfo',
    'getprotobyname',
    'getprotobynumber',
    'js_fd_read',
    'js_flock',
    'js_getpid',
    'js_release_file_locks',
    'js_wasm_trace',
    'makecontext',
    'strptime',
    'swapcontext',
    'wasm_close',
    'wasm_setsockopt',
    'wasm_shutdown',
  ],
  wasi_snapshot_preview1: [
    'clock_time_get',
    'environ_get',
    'environ_sizes_get',
    'fd_close',
    'fd_fdstat_get',
    'fd_pread',
    'fd_pwrite',
    'fd_read',
    'fd_seek',
    'fd_sync',
    'fd_write',
    'proc_exit',
    'random_get',
  ],
}

/**
 * Imports with access to a shell, another process, a dynamic library (whose `__em_js__` strings the loader evaluates as
 * JavaScript), our own JavaScript, or a listening socket: PHP gets these replacements instead of the loader's functions.
 */
const deniedImports: Record<string, Readonly<Record<string, DeniedImport>>> = {
  env: {
    // C's system(NULL) checks for a shell: 0 means there is none.
    _emscripten_system: (command) => (command === 0 ? 0 : -enosys),
    // Used by popen(); the path 0 makes it return NULL.
    __asyncjs__js_popen_to_file: () => 0,
    js_open_process: () => -1,
    js_waitpid: () => -1,
    js_process_status: () => -1,
    js_popen_clear_pid_for_fd: () => 0,
    js_popen_get_pid_for_fd: () => -1,
    js_popen_set_pid_for_fd: () => 0,
    // PHP's own limit of time would end it while it is suspended, which breaks it; the engine has the limit.
    _setitimer_js: () => 0,
    // dlopen() and dlsym() return NULL.
    _dlopen_js: () => 0,
    _dlsym_js: () => 0,
    __asyncjs__js_module_onMessage: () => -1,
    __syscall_bind: () => -eopnotsupp,
    __syscall_listen: () => -eopnotsupp,
    __syscall_accept4: () => -eopnotsupp,
  },
}

/** Imports that a WebAssembly module requests or the loader offers: module name → import name → value. */
export type WasmImports = Record<string, Record<string, unknown>>

/**
 * Builds the imports of a PHP module from the allowlist. This list, not PHP's `disable_functions`, sandboxes PHP: extensions
 * written in C call the C library directly.
 * @param offered the loader's imports
 * @returns the imports to instantiate the module with: only those in the list
 * @throws if the module requests a name that is not in the list, or anything but a function
 */
export function restrictImports(module: WasmModule, offered: WasmImports): WasmImports {
  const imports: WasmImports = {}
  for (const { module: from, name, kind } of wasm.Module.imports(module)) {
    const isPermitted = permitted[from]?.includes(name) === true
    const denied = isPermitted ? undefined : ownValue(ownValue(deniedImports, from) ?? {}, name)
    if (kind !== 'function' || (!isPermitted && denied === undefined))
      throw new Error(`PHP asks for an import that is not on the allow-list: ${from}.${name} (${kind}).`)
    const value = isPermitted ? offered[from]?.[name] : denied
    if (value === undefined) throw new Error(`The loader of PHP lacks the import ${from}.${name}.`)
    imports[from] ??= {}
    imports[from][name] = value
  }
  return imports
}

/** All names in the list as `module.name`, sorted. */
export function listedImports(): string[] {
  return [permitted, deniedImports]
    .flatMap((list) =>
      Object.entries(list).flatMap(([from, names]) =>
        (Array.isArray(names) ? names : Object.keys(names)).map((name: string) => `${from}.${name}`),
      ),
    )
    .sort()
}

function ownValue<T>(holder: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(holder, name) ? holder[name] : undefined
}
