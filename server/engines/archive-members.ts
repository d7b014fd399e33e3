import { createReadStream } from 'node:fs'
import { addAbortSignal, pipeline } from 'node:stream'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { tarMembers, type TarMember } from '#server/platform/files/tar.ts'
import { exportNames } from './site-manifest.ts'

/** Members of an archive of the portable format, whose content is passed on as it is read. `signal` ends that, also inside of one. */
export async function* membersOf(archive: string, signal?: AbortSignal): AsyncGenerator<TarMember, void, undefined> {
  const unpacked = unzstd()
  if (signal) addAbortSignal(signal, unpacked)
  // Its error is that of what reads it.
  pipeline(createReadStream(archive), unpacked, () => undefined)
  try {
    yield* tarMembers(unpacked)
  } finally {
    // Who stops in the middle leaves no open file.
    unpacked.destroy()
  }
}

/** The text of the manifest of an archive, in pieces; none without one. */
export async function* manifestTextIn(archive: string): AsyncGenerator<Buffer, void, undefined> {
  for await (const { header, content } of membersOf(archive)) {
    if (header.name === exportNames.manifest) {
      yield* content
      return
    }
    for await (const _chunk of content);
  }
}
