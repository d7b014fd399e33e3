import * as z from 'zod/mini'
import { bit, person } from '../schema.ts'

/** Visible permission bits of a share (tests/permissions/matrix.md). `submit` is stored as 0 and never shown. */
const shareBits = { read: bit, write: bit, share: bit }

/** Permission bits of a share. */
export type ShareBits = Readonly<Record<keyof typeof shareBits, 0 | 1>>

/** A member with whom a site is shared (`list_shares` of the site). */
export const sharedWith = z.object({ user: person, full_name: z.nullable(person), ...shareBits })

/** A member with whom a site is shared. */
export type SharedWith = z.infer<typeof sharedWith>

/** Everyone with whom a site is shared. */
export const shares = z.array(sharedWith)

/** Addresses of members who see a site without a share (`list_privileged`). */
export const addresses = z.array(person)
