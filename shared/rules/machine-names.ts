/** A machine type as its vendor writes it for people: Hetzner in capitals (CX23), the others as in their API (t3.small). */
export const machineName = (provider: string | null | undefined, type: string): string =>
  provider === 'Hetzner' ? type.toUpperCase() : type
