import { createElement, use, type ComponentType } from 'react'
import { FileMissing } from './fetch-first.ts'

/** A part of the app that is not fetched with the page: a panel, a dialog, another screen. */
export interface Code<T> {
  /** The part, or null while it is not here. */
  readonly here: () => T | null
  /**
   * Fetches it, once; after a failure each call is a new attempt. Rejects with `CodeMissing`. Whoever wants to open
   * something calls this first, so that nothing that is on screen waits or fails with it.
   */
  readonly load: () => Promise<T>
  /** The attempt a screen waits for: one that failed stays failed until `forget`, or rendering would try for ever. */
  readonly attempt: () => Promise<T>
  /** The screen that showed the failure is gone: the next one tries anew. */
  readonly forget: () => void
}

/** The code of a part could not be fetched: no network, no server, or a server that has a newer app. */
export class CodeMissing extends Error {
  readonly code: Code<unknown>
  /** It came and could not be imported: most browsers do not try that again, only a new page does. */
  readonly stuck: boolean
  constructor(code: Code<unknown>, cause: unknown) {
    super('A part of the app could not be fetched.', { cause })
    this.name = 'CodeMissing'
    this.code = code
    this.stuck = !(cause instanceof FileMissing)
  }
}

/** What browsers call an import that got no answer: Chrome and Firefox, Safari. */
const unanswered = /dynamically imported module|module script failed/i

const declared = new Set<Code<unknown>>()
let ahead = false

/**
 * Declares a part that is fetched when it is needed. `ahead: false` keeps it out of `fetchAhead`: for what is large and
 * seldom used.
 */
export function codeOf<T>(fetchCode: () => Promise<T>, { ahead: early = true }: { ahead?: boolean } = {}): Code<T> {
  let present: T | null = null
  let running: Promise<T> | null = null
  let waitedFor: Promise<T> | null = null
  const fetchIt = async (): Promise<T> => {
    try {
      present = await fetchCode()
      return present
    } catch (cause) {
      running = null
      // What came and then threw is a defect: people are told the same, the console what it is.
      if (!(cause instanceof FileMissing) && !unanswered.test(String(cause))) reportError(cause)
      throw new CodeMissing(code, cause)
    }
  }
  const code: Code<T> = {
    here: () => present,
    load: () => (running ??= told(fetchIt())),
    // What has come answers whoever asks, also after an attempt before it failed.
    attempt: () => (present !== null && running) || (waitedFor ??= code.load()),
    forget: () => {
      waitedFor = null
    },
  }
  if (early) {
    declared.add(code)
    if (ahead) whenIdle(() => void fetchQuietly(code))
  }
  return code
}

/** Writes on a promise what it came to, where `use` of React looks first: what is here is drawn without a pause. */
function told<T>(promise: Promise<T>): Promise<T> {
  promise.then(
    (value) => Object.assign(promise, { status: 'fulfilled', value }),
    () => undefined,
  )
  return promise
}

/** A component whose code is fetched when it is needed; suspends until then, throws `CodeMissing`. */
export type Fetched<P> = ComponentType<P> & Code<ComponentType<P>>

/** Declares such a component. Stands below a `CodeBoundary`, unless it is drawn only after `load`. */
export function fetched<P extends object>(
  fetchCode: () => Promise<ComponentType<P>>,
  options?: { ahead?: boolean },
): Fetched<P> {
  const code = codeOf(fetchCode, options)
  // A component that waited by `use` has to ask it again when it goes on: so it always does.
  const Part = (props: P) => createElement(use(code.attempt()), props)
  return Object.assign(Part, code)
}

/** Failing ahead of time means failing again when it is wanted, and there people are told. */
function fetchQuietly(code: Code<unknown>): Promise<unknown> {
  return code.load().catch(() => undefined)
}

let round: Promise<void> | null = null

/**
 * Fetches every declared part that is not here, and from now on each that is declared later: what is on screen can then
 * be used without network. One after the other, so that it is in nobody's way. Called again it tries what failed.
 */
export function fetchAhead(): void {
  ahead = true
  round ??= fetchAll().finally(() => {
    round = null
  })
}

async function fetchAll(): Promise<void> {
  for (const code of declared) {
    if (!navigator.onLine) return
    await fetchQuietly(code)
  }
}

/** Runs `work` when the browser has nothing better to do, within 5 seconds. Returns what calls it off. */
export function whenIdle(work: () => void): () => void {
  const idle = window.requestIdleCallback as typeof requestIdleCallback | undefined
  if (!idle) {
    const timer = setTimeout(work, 2000)
    return () => clearTimeout(timer)
  }
  const handle = idle(work, { timeout: 5000 })
  return () => cancelIdleCallback(handle)
}
