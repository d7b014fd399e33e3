import { LogPositionError, readLog, type LogLines, type LogSegment } from '#server/platform/text-log/read-log.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'
import { maxLogChunkBytes, maxLogChunkLines, type LogRange } from './site-logs.ts'

const limits = { bytes: maxLogChunkBytes, lines: maxLogChunkLines }

/** Lines of a log in segments, within the limits of `SiteLogs.read`. */
export async function readChunk(segments: readonly LogSegment[], range: LogRange): Promise<LogLines> {
  try {
    return await readLog(segments, range, limits)
  } catch (error) {
    if (!(error instanceof LogPositionError)) throw error
    throw new EngineError('invalid', msg`This is no position of an earlier answer.`, {
      nextAction: msg`Read the log from its end.`,
    })
  }
}
