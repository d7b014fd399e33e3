import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemErrorCode } from '../processes/startup-error.ts'

/** File-system calls of a log file; tests simulate a full disk. */
export interface LogFileSystem {
  openSync: typeof openSync
  writeSync: (fd: number, data: Buffer) => number
  renameSync: typeof renameSync
}

/** Options of a log file. */
export interface LogFileOptions {
  path: string
  /** Maximum size in bytes before rotation. Default 10 MB. */
  maxBytes?: number
  /** Old files kept as `path.1` (newest) … `path.N`. Default 4. */
  keep?: number
  fs?: LogFileSystem
}

/** A log file that is rotated when it is full. */
export interface LogFile {
  write(line: string): void
  close(): void
}

/**
 * Opens a size-rotated log file (mode 0600, its folder 0700). Writing is synchronous, so that the last lines before a crash
 * are kept. A full or missing disk never stops the program: lines are dropped, and their number is logged when writing works
 * again.
 */
export function openLogFile(options: LogFileOptions): LogFile {
  const { path, maxBytes = 10_000_000, keep = 4 } = options
  const fs: LogFileSystem = options.fs ?? { openSync, renameSync, writeSync: (fd, data) => writeSync(fd, data) }
  let fd: number | null = null
  let size = 0
  let dropped = 0

  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const opened = fs.openSync(path, 'a', 0o600)
    fd = opened
    size = fstatSync(opened).size
    return opened
  }
  const rotate = (): number => {
    if (fd !== null) closeSync(fd)
    fd = null
    rmSync(`${path}.${keep}`, { force: true })
    for (let n = keep - 1; n >= 0; n -= 1) {
      try {
        fs.renameSync(n === 0 ? path : `${path}.${n}`, `${path}.${n + 1}`)
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT') throw error
      }
    }
    return open()
  }
  const append = (text: string) => {
    const data = Buffer.from(text, 'utf8')
    let to = fd ?? open()
    if (size > 0 && size + data.length > maxBytes) to = rotate()
    for (let done = 0; done < data.length;) {
      const written = fs.writeSync(to, data.subarray(done))
      done += written
      size += written
    }
  }

  open()
  return {
    write(line) {
      try {
        if (dropped > 0) {
          append(
            `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: `${dropped} log lines were lost: the disk could not take them` })}\n`,
          )
          dropped = 0
        }
        append(line)
      } catch (error) {
        if (systemErrorCode(error) === '') throw error
        dropped += 1
      }
    },
    close() {
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}
