import type { LogChunk } from '#shared/responses/site-logs.ts'

/** Lines that were read together. */
export interface LogPage {
  readonly lines: readonly string[]
  /** Number of the first line; lines that were read later have higher ones, earlier ones lower ones. */
  readonly first: number
  /** Position before them; null at the beginning of the log. */
  readonly start: string | null
  /** Lines are missing before them; `skipped`: a search left them out, because they do not contain its text. */
  readonly gap: LogChunk['gap'] | 'skipped'
}

/** What was read of a log: its pages in order, and where reading goes on. */
export interface LogPages {
  readonly pages: readonly LogPage[]
  /** What the log ends with if that is not a complete line yet. */
  readonly partial: string
  /** Null until something was read. */
  readonly end: string | null
}

/** Maximum number of lines that are kept; the earliest are dropped for more. */
export const maxKeptLines = 5_000

/** Nothing read yet. */
export const noPages: LogPages = { pages: [], partial: '', end: null }

/** Adds what follows. */
export function withNext({ pages }: LogPages, chunk: LogChunk): LogPages {
  const last = pages.at(-1)
  const page: LogPage = {
    lines: chunk.lines,
    first: last === undefined ? 0 : last.first + last.lines.length,
    start: chunk.start,
    // Nothing is missing before the first lines that anybody sees.
    gap: pages.length === 0 ? null : chunk.gap,
  }
  const isEmpty = page.lines.length === 0 && page.gap === null && last !== undefined
  return { pages: isEmpty ? pages : withinLimit([...pages, page]), partial: chunk.partial, end: chunk.end }
}

/** Adds what precedes. */
export function withEarlier(known: LogPages, chunk: LogChunk): LogPages {
  const [oldest] = known.pages
  const first = (oldest?.first ?? 0) - chunk.lines.length
  return { ...known, pages: [{ lines: chunk.lines, first, start: chunk.start, gap: null }, ...known.pages] }
}

/** Adds what a search found before the first line, or how far it came without a match. */
export function withFound(known: LogPages, chunk: LogChunk): LogPages {
  const [oldest, ...rest] = known.pages
  if (oldest === undefined || oldest.start === chunk.end) return withEarlier(known, chunk)
  return withEarlier({ ...known, pages: [{ ...oldest, gap: 'skipped' }, ...rest] }, chunk)
}

/** Without what a search found: the lines left out would be missing. */
export function withoutFound(known: LogPages): LogPages {
  const from = known.pages.findLastIndex(({ gap }) => gap === 'skipped')
  if (from === -1) return known
  return { ...known, pages: known.pages.slice(from).map((page, at) => (at === 0 ? { ...page, gap: null } : page)) }
}

function withinLimit(pages: readonly LogPage[]): readonly LogPage[] {
  let kept = pages.length
  for (let lines = 0; kept > 0; kept -= 1) {
    lines += pages[kept - 1]?.lines.length ?? 0
    if (lines > maxKeptLines) break
  }
  // The newest page stays, whatever its size.
  return pages.slice(Math.min(kept, pages.length - 1))
}
