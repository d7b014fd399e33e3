import type { SignIn } from './messages.ts'

/** More than these wait for their request at no time: it follows its announcement at once. */
const maxWaiting = 100

/** The sign-ins that were announced to this process, each for the one request that has its ticket. */
export interface SignIns {
  announce(signIn: SignIn): void
  /** The input of `login.php`; undefined: there is no such ticket, or it was used. */
  take(ticket: string): string | undefined
}

/** None is announced yet. */
export function createSignIns(): SignIns {
  const inputs = new Map<string, string>()
  return {
    announce: ({ ticket, input }) => {
      const [oldest] = inputs.keys()
      if (inputs.size >= maxWaiting && oldest !== undefined) inputs.delete(oldest)
      inputs.set(ticket, JSON.stringify(input))
    },
    take: (ticket) => {
      const input = inputs.get(ticket)
      inputs.delete(ticket)
      return input
    },
  }
}
