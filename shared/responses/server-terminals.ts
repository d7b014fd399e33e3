import * as z from 'zod/mini'
import { terminalEnds } from '../rules/terminal.ts'
import { described, person, timestamp } from '../schema.ts'

const id = z.string().check(z.maxLength(40))

/** A terminal that its caller can now open over the socket of a page, within 30 seconds (`open_terminal`). */
export const openedTerminal = z.object({ terminal: id })

/** The terminals of a server, newest first (`get_terminals`). */
export const serverTerminals = z.array(
  z.object({
    id,
    user: person,
    started: timestamp,
    ended: described(z.nullable(timestamp), 'Null: it is open'),
    end: described(z.nullable(z.enum(terminalEnds)), 'Why it ended'),
    characters: described(z.int().check(z.nonnegative()), 'That were recorded'),
  }),
)

/** A terminal of a server. */
export type ServerTerminal = z.infer<typeof serverTerminals>[number]

/** What a terminal showed (`get_terminal_recording`), without escape sequences and what looks like a secret. */
export const terminalRecording = z.object({ file_name: z.string(), text: z.string() })
