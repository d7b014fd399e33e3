import { noRoom } from './refusal.ts'

/** What may be added: bytes on the disk, and files and folders. Infinite without a limit. */
export interface Room {
  readonly bytes: number
  readonly entries: number
}

/** Counts what is added. */
export interface RoomCounter {
  /** Call before a file of this size, or a folder, is created. Throws FileRefusal if it has no room. */
  add(size: number): void
  /** Call before a file whose size is not known yet becomes longer by this. Throws FileRefusal, too. */
  grow(bytes: number): void
  readonly added: { bytes: number; entries: number }
}

/** Size of the blocks that files occupy on most disks (bytes). */
const block = 4096

/** Counts against the room that there is. */
export function countRoom(room: Room): RoomCounter {
  const added = { bytes: 0, entries: 0 }
  const count = (bytes: number, entries: number): void => {
    added.bytes += bytes
    added.entries += entries
    if (added.bytes > room.bytes || added.entries > room.entries) throw noRoom()
  }
  return {
    added,
    add: (size) => count(Math.max(1, Math.ceil(size / block)) * block, 1),
    grow: (bytes) => count(bytes, 0),
  }
}
