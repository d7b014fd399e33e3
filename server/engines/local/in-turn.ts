import { createTurns, type InTurn } from '#server/platform/turns.ts'

/** One thing at a time for each site: what takes a change back must not meet a step of it. */
export const inTurn: InTurn = createTurns()
