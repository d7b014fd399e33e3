import type { Hashing } from '#server/features/accounts/deps.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'

/** Argon2id takes a core and a moment each time; `credentials.test.ts` tries the real one. */
export const cheapHashing: Hashing = {
  hash: (password) => Promise.resolve(hashToken(password)),
  verify: (hash, password) => Promise.resolve(hash === hashToken(password)),
  needsRehash: () => false,
}
