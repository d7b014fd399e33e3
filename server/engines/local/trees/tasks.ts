import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { EngineError } from '../../engine.ts'
import type { TreeLimits } from './limits.ts'
import type { Measured } from './measure.ts'
import type { Packed, PackOptions } from './pack.ts'

/** Tasks of a tree process by name, with their input and result. */
export interface TreeTasks {
  /**
   * Measures folders, one at a time; missing ones are empty. `cpuMs`: for each of them. `waited`: a user is waiting for it.
   */
  measure: {
    input: { paths: readonly string[]; entries: number; cpuMs: number; waited: boolean }
    result: Measured[]
  }
  pack: { input: { options: PackOptions; target: string }; result: Packed }
  prove: { input: { root: string; folders: readonly string[]; archive: string }; result: number }
  /** Returns the number of files. */
  unpack: { input: { archive: string; into: string; limits: TreeLimits }; result: number }
  /** Changes the owner of trees. */
  own: { input: { paths: readonly string[]; uid: number }; result: null }
  /** Removes the oldest files of a folder until the rest is within the limits. */
  trim: { input: { path: string; limits: TreeLimits }; result: null }
  remove: { input: { paths: readonly string[] }; result: null }
}

/** The only message to such a process. */
export type TreeRequest = { [T in keyof TreeTasks]: { task: T; input: TreeTasks[T]['input'] } }[keyof TreeTasks]

/** Its messages: the number of processed files from time to time, and finally the result or an error. */
export type TreeMessage =
  | { type: 'progress'; files: number }
  | { type: 'done'; result: unknown }
  | {
      type: 'refused'
      code: EngineError['code']
      localized: LocalizedMessage
      nextAction: LocalizedMessage
      retryable: boolean
    }
  | { type: 'failed'; message: string; code?: string; path?: string; syscall?: string }
