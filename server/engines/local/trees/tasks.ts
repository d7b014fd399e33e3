import type { Sentence } from '#shared/sentence.ts'
import type { EngineError } from '../../engine.ts'
import type { TreeLimits } from './limits.ts'
import type { Measured } from './measure.ts'
import type { Packed, PackOptions } from './pack.ts'

/** What a process for trees can be asked, by name, and what it answers. */
export interface TreeTasks {
  /**
   * Measures folders, one after the other; those that are not there are empty. `cpuMs`: for each of them. `waited`:
   * somebody waits for it.
   */
  measure: {
    input: { paths: readonly string[]; entries: number; cpuMs: number; waited: boolean }
    answer: Measured[]
  }
  pack: { input: { options: PackOptions; target: string }; answer: Packed }
  prove: { input: { root: string; folders: readonly string[]; archive: string }; answer: number }
  /** Answers the number of files. */
  unpack: { input: { archive: string; into: string; limits: TreeLimits }; answer: number }
  /** Hands trees over to a user. */
  own: { input: { paths: readonly string[]; uid: number }; answer: null }
  /** Removes the oldest files of a folder until the rest is within the limits. */
  trim: { input: { path: string; limits: TreeLimits }; answer: null }
  remove: { input: { paths: readonly string[] }; answer: null }
}

/** The one message to such a process. */
export type TreeRequest = { [T in keyof TreeTasks]: { task: T; input: TreeTasks[T]['input'] } }[keyof TreeTasks]

/** What it says: how many files are done, now and then, and at its end the answer or why there is none. */
export type TreeMessage =
  | { type: 'progress'; files: number }
  | { type: 'done'; answer: unknown }
  | { type: 'refused'; code: EngineError['code']; sentence: Sentence; nextAction: Sentence; retryable: boolean }
  | { type: 'failed'; message: string; code?: string; path?: string; syscall?: string }
