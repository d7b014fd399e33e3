import { fstatSync } from 'node:fs'
import {
  areaOfNode,
  inodeKey,
  statsOfNode,
  wrapOperation,
  type Attributes,
  type FsStream,
  type LimitContext,
  type Operations,
} from './node-fs.ts'
import { reservingBytes, reservingEntry, resize } from './reserve.ts'
import { fileBytes } from './size-on-disk.ts'

/** O_CREAT and O_APPEND in musl. */
const flagCreate = 0o100
const flagAppend = 0o2000

/** Values of a write: stream, buffer, offset in the buffer, length, position in the file, and others. */
type WriteValues = [FsStream, unknown, number, number, number, ...unknown[]]

/** Limits the operations on open files: opening, writing, changing the size, and closing. */
export function limitStreams(context: LimitContext): void {
  const streams = context.runtime.FS.filesystems.NODEFS.stream_ops
  limitResize(context, streams)
  limitOpen(context, streams)
  limitClose(context, streams)
  limitWrite(context, streams)
}

function limitResize(context: LimitContext, streams: Operations): void {
  wrapOperation<[FsStream, Attributes]>(streams, 'setattr', (original, stream, attributes) => {
    const area = areaOfNode(context, stream.node)
    if (area === null || attributes.size === undefined || stream.nfd === undefined) return original(stream, attributes)
    const before = fstatSync(stream.nfd).size
    return resize(context, area, before, attributes, () => original(stream, attributes))
  })
}

function limitOpen(context: LimitContext, streams: Operations): void {
  const { openFiles } = context
  wrapOperation<[FsStream]>(streams, 'open', (original, stream) => {
    if (areaOfNode(context, stream.node) === null) return original(stream)
    // PHP's cache may still contain a file that another PHP removed; opening it creates it again.
    const creates = (stream.flags & flagCreate) !== 0 && statsOfNode(context, stream.node) === null
    const result = creates ? reservingEntry(context, () => original(stream)) : original(stream)
    if (stream.nfd !== undefined) {
      const key = inodeKey(fstatSync(stream.nfd))
      const opened = openFiles.get(key)
      if (opened === undefined) openFiles.set(key, { count: 1, removed: false })
      else opened.count += 1
    }
    return result
  })
}

function limitClose(context: LimitContext, streams: Operations): void {
  const { openFiles, quota } = context
  wrapOperation<[FsStream]>(streams, 'close', (original, stream) => {
    const area = areaOfNode(context, stream.node)
    const stats =
      area !== null && stream.nfd !== undefined && stream.shared.refcount === 1 ? fstatSync(stream.nfd) : null
    const result = original(stream)
    if (area === null || stats === null) return result
    const opened = openFiles.get(inodeKey(stats))
    if (opened === undefined) return result
    opened.count -= 1
    if (opened.count === 0) {
      openFiles.delete(inodeKey(stats))
      if (opened.removed) quota.released(area, fileBytes(stats.size))
    }
    return result
  })
}

function limitWrite(context: LimitContext, streams: Operations): void {
  wrapOperation<WriteValues>(streams, 'write', (original, ...values) => {
    const [stream, , , length, position] = values
    const area = areaOfNode(context, stream.node)
    if (area === null || stream.nfd === undefined) return original(...values)
    const before = fstatSync(stream.nfd).size
    const start = (stream.flags & flagAppend) !== 0 ? before : position
    const grown = (bytes: number): number => fileBytes(Math.max(before, start + bytes)) - fileBytes(before)
    const growth = grown(length)
    if (growth === 0) return original(...values)
    return reservingBytes(context, area, growth, () => {
      const written = Number(original(...values))
      context.quota.released(area, growth - grown(written))
      return written
    })
  })
}
