/**
 * Answers that a script of the page (index.html) asked for while the app's own script was still on its way: the server names
 * what each page reads first (server/page-reads.ts). Whoever reads one of them first gets it, afterwards it may be old.
 */

declare global {
  interface Window {
    /** By address; null once the first page stands. */
    easydash_reads?: Record<string, Promise<Response>> | null
  }
}

/** The answer of an address, for the first who asks; null when nobody asked for it early. */
export function takeEarlyRead(path: string): Promise<Response> | null {
  const answer = window.easydash_reads?.[path] ?? null
  if (answer) delete window.easydash_reads?.[path]
  return answer
}

/** The first page stands: what nobody has taken by now is of no use any more. */
export function dropEarlyReads(): void {
  for (const answer of Object.values(window.easydash_reads ?? {})) void letGo(answer)
  window.easydash_reads = null
}

/** An answer that nobody reads to its end keeps its connection. */
async function letGo(answer: Promise<Response>): Promise<void> {
  try {
    await (await answer).body?.cancel()
  } catch {
    // There was no answer: nothing is held.
  }
}
