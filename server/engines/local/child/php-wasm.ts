import * as nodePackage from '@php-wasm/node'
import * as universalPackage from '@php-wasm/universal'

/*
 * Types for the parts of PHP-WASM we use: the packages' own declarations can't be resolved by TypeScript's Node rules (their
 * files import each other without extensions), and WebAssembly's types belong to the DOM library.
 */

/** A compiled WebAssembly module; opaque. */
export type WasmModule = { readonly wasmModule: unique symbol }
/** An instance of a WebAssembly module; opaque. */
export type WasmInstance = { readonly wasmInstance: unique symbol }

/** The part of the `WebAssembly` namespace used to start several PHP instances from one compilation. */
export const wasm: {
  compile(bytes: Uint8Array): Promise<WasmModule>
  instantiate(module: WasmModule, imports: object): Promise<WasmInstance>
  Module: { imports(module: WasmModule): Array<{ module: string; name: string; kind: string }> }
} = Reflect.get(globalThis, 'WebAssembly')

/** A PHP version's loader. */
export interface PhpLoader {
  /** Path of the `.wasm` file. */
  dependencyFilename: string
}

/** A file or folder of Emscripten's virtual file system. */
export interface FileNode {
  readonly node_ops: { getattr(node: FileNode): unknown }
}
/** An open file of Emscripten's virtual file system; opaque. */
export type FileStream = { readonly fileStream: unique symbol }

/** Attributes changed by chmod(), touch() and truncate(). */
export interface FileAttributes {
  mode?: number
  size?: number
}

/** The parts of the Emscripten runtime behind a PHP instance. */
export interface PhpRuntime {
  FS: {
    ErrnoError: new (errno: number) => Error
    filesystems: {
      NODEFS: {
        node_ops: {
          symlink(parent: FileNode, name: string, target: string): unknown
          readdir(node: FileNode): string[]
          mknod(parent: FileNode, name: string, mode: number, device: number): FileNode
          setattr(node: FileNode, attributes: FileAttributes): void
          statfs(path: string): object
        }
        stream_ops: { setattr(stream: FileStream, attributes: FileAttributes): void }
      }
    }
    root: { node_ops: Record<string, unknown>; mount: { opts: { root?: string } } }
    mount(type: unknown, options: { root: string }, path: string): void
    mkdirTree(path: string): void
    /** Makes a file whose reads and writes are calls, a byte each. */
    createDevice(
      folder: string,
      name: string,
      input: (() => number) | null,
      output: ((byte: number) => void) | null,
    ): void
    lookupPath(path: string, options?: object): { readonly node?: FileNode | null }
  }
}

/** HTTP methods PHP-WASM supports. */
export type PhpMethod = 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'PUT' | 'DELETE'

/** One run of a script. */
export interface PhpRun {
  scriptPath: string
  relativeUri?: string
  protocol?: string
  method?: PhpMethod
  headers?: Record<string, string>
  body?: Uint8Array
  $_SERVER?: Record<string, string>
}

/** A streamed response. */
export interface PhpResponse {
  /** The chunks are actually `Int8Array`, whatever the package declares. */
  stdout: AsyncIterable<Int8Array>
  stdoutText: Promise<string>
  stdoutBytes: Promise<Uint8Array>
  headers: Promise<Record<string, string[]>>
  httpStatusCode: Promise<number>
  exitCode: Promise<number>
}

/** One PHP instance. Runs are queued. */
export interface Php {
  setSapiName(name: string): Promise<void>
  defineConstant(name: string, value: string | boolean | number | null): void
  chdir(path: string): void
  mkdir(path: string): void
  writeFile(path: string, content: string | Uint8Array): void
  readFileAsText(path: string): string
  unlink(path: string): void
  fileExists(path: string): boolean
  isDir(path: string): boolean
  isFile(path: string): boolean
  runStream(run: PhpRun): Promise<PhpResponse>
}

/** A lock of a whole file: what flock() asks for. */
export interface FileLockRequest {
  type: 'shared' | 'exclusive' | 'unlock'
  /** Number of the PHP instance. */
  pid: number
  fd: number
}
/** Manages file locks of PHP instances. */
export interface LockManager {
  /** Whether the lock is as requested; never waits. */
  lockWholeFile(path: string, request: FileLockRequest): boolean
  releaseLocksOnFdClose(pid: number, descriptor: number, path: string): void
  releaseLocksForProcess(pid: number): void
}
/** Passed by Emscripten when a PHP starts. */
export interface UserSpaceContext {
  readonly constants: { readonly LOCK_NB: number }
  readonly errnoCodes: { readonly EWOULDBLOCK: number }
}
/** The system calls of a PHP that its process answers. PHP is suspended until a promise is settled. */
export interface UserSpace {
  /** Returns 0 or a negative error number. */
  flock(descriptor: number, operation: number): number | Promise<number>
}

interface NodePackage {
  getPHPLoaderModule(version: string): Promise<PhpLoader>
  bindUserSpace(
    kernel: { fileLockManager: LockManager },
    context: UserSpaceContext,
  ): { flock(descriptor: number, operation: number): number }
}

interface UniversalPackage {
  PHP: new (runtime: number) => Php
  loadPHPRuntime(loader: PhpLoader, options: object): Promise<number>
  setPhpIniEntries(php: Php, entries: Record<string, string>): Promise<void>
  FileLockManagerInMemory: new () => LockManager
}

/** `@php-wasm/node`. */
export const phpNode: NodePackage = nodePackage as unknown as NodePackage
/** `@php-wasm/universal`. */
export const phpUniversal: UniversalPackage = universalPackage as unknown as UniversalPackage
