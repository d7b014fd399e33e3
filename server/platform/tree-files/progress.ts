/** What is told of the progress of a task: how much of it is done, 0 to 1. */
export type OnProgress = (done: number) => void

/** What creating a file costs besides its content, in bytes: many small files take long, too. */
const bytesPerFile = 4_096

/** The work of writing files of this many bytes in all. */
export function workOf(files: number, bytes: number): number {
  return files * bytesPerFile + bytes
}

/** Adds up work, and tells each further percent of it. */
export function countProgress(total: number, tell: OnProgress): { add(work: number): void } {
  let done = 0
  let told = 0
  return {
    add(work) {
      done += work
      const fraction = Math.floor(Math.min(1, done / total) * 100) / 100
      if (fraction <= told) return
      told = fraction
      tell(fraction)
    },
  }
}
